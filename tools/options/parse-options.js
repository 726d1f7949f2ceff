const { parseArgs } = require('node:util');

/** @param {import('node:util').ParseArgsConfig} [config] @returns {any} parse-options.d.ts has the exact type */
exports.parseOptions = (config = {}) => {
  const { tokens, ...parsed } = /** @type {any} */ (parseArgs({ ...config, tokens: true }));
  const given = new Set();
  for (const token of tokens) {
    if (token.kind !== 'option' || config.options?.[token.name]?.multiple) continue;
    if (given.has(token.name))
      throw Object.assign(new TypeError(`--${token.name} is given twice`), { code: 'ERR_PARSE_ARGS_REPEATED_OPTION' });
    given.add(token.name);
  }
  return parsed;
};
