const { parseArgs } = require('node:util');

/** What Node adds to the message about an unknown option. No command here has a positional argument that starts with a dash. */
const ADVICE = /\. To specify a positional argument starting with a '-'.*$/s;

/** @param {import('node:util').ParseArgsConfig} [config] @returns {any} parse-options.d.ts has the exact type */
exports.parseOptions = (config = {}) => {
  const { tokens, ...parsed } = parse(config);
  const given = new Set();
  for (const token of tokens) {
    if (token.kind !== 'option' || config.options?.[token.name]?.multiple) continue;
    if (given.has(token.name))
      throw Object.assign(new TypeError(`--${token.name} is given twice`), { code: 'ERR_PARSE_ARGS_REPEATED_OPTION' });
    given.add(token.name);
  }
  return parsed;
};

/** @param {import('node:util').ParseArgsConfig} config @returns {any} */
function parse(config) {
  try {
    return parseArgs({ ...config, tokens: true });
  } catch (error) {
    error.message = error.message.replace(ADVICE, '');
    throw error;
  }
}
