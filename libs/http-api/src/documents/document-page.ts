/** The files of Swagger UI that the page loads, and their content types. The edge serves these files (tools/edge/src/routes.ts). */
export const PAGE_ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-standalone-preset.js': 'text/javascript; charset=utf-8',
  'favicon-16x16.png': 'image/png',
  'favicon-32x32.png': 'image/png',
};

/** Returns the page of a document. Its links are absolute paths, because the page is served both with and without a trailing slash. */
export const pageOf = (path: string, title: string): string => `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${escapeHtml(title)}</title>
  <link rel="stylesheet" href="/${path}/swagger-ui.css">
  <link rel="icon" type="image/png" href="/${path}/favicon-32x32.png" sizes="32x32">
  <link rel="icon" type="image/png" href="/${path}/favicon-16x16.png" sizes="16x16">
  <style>body { margin: 0; background: #fafafa; } .swagger-ui .topbar .download-url-wrapper { display: none; }</style>
</head>
<body>
  <div id="swagger-ui"></div>
  <script src="/${path}/swagger-ui-bundle.js"></script>
  <script src="/${path}/swagger-ui-standalone-preset.js"></script>
  <script src="/${path}/swagger-ui-init.js"></script>
</body>
</html>
`;

/** Returns the script that renders the page. */
export const initScriptOf = (path: string): string => `window.ui = SwaggerUIBundle({
  url: '/${path}/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  plugins: [SwaggerUIBundle.plugins.DownloadUrl],
  layout: 'StandaloneLayout',
});
`;

const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
