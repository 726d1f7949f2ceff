/** Returns code for curl, JavaScript, Python and PHP that requests a checkout URL. @param query the query without the question mark */
export function snippetsOf(baseUrl: string, query: string): Readonly<Record<string, string>> {
  const url = `${baseUrl}/api/v2/partner/subscription/create-checkout-url${query ? `?${query}` : ''}`;
  return {
    curl: `curl -sS '${url}' \\\n  -H 'Authorization: Bearer YOUR_TOKEN'`,
    JavaScript: `const response = await fetch('${url}', {
  headers: { Authorization: 'Bearer YOUR_TOKEN' },
});
if (!response.ok) throw new Error((await response.json()).detail);
const { checkoutUrl } = await response.json();`,
    Python: `import requests

response = requests.get(
    '${url}',
    headers={'Authorization': 'Bearer YOUR_TOKEN'},
    timeout=10,
)
response.raise_for_status()
checkout_url = response.json()['checkoutUrl']`,
    PHP: `<?php
$context = stream_context_create(['http' => ['header' => 'Authorization: Bearer YOUR_TOKEN']]);
$answer = file_get_contents('${url}', false, $context);
$checkoutUrl = json_decode($answer, true)['checkoutUrl'];`,
  };
}
