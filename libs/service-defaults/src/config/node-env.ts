/** Where an app runs. `staging` and `production` refuse settings that are for development only. */
export const NODE_ENVS = ['development', 'test', 'staging', 'production'] as const;
export type NodeEnv = (typeof NODE_ENVS)[number];
