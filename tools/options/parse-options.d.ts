/**
 * Like `parseArgs` of Node, but also refuses an option that is given twice, unless the option is declared as `multiple`.
 *
 * @throws TypeError with a message for people, and a code that begins with `ERR_PARSE_ARGS`
 */
export const parseOptions: typeof import('node:util').parseArgs;
