/** The environments of an app. `staging` and `production` refuse development settings. */
export const NODE_ENVS = ['development', 'test', 'staging', 'production'] as const;
export type NodeEnv = (typeof NODE_ENVS)[number];
