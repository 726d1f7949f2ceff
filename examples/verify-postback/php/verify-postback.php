<?php

// Verifies Tandem's postbacks (https://www.standardwebhooks.com) with PHP's own functions: PHP 8.0 or newer.
//
//   POSTBACK_AUTHORIZATION='Bearer my-own-key' POSTBACK_SIGNING_SECRETS='whsec_…' php -S 127.0.0.1:3000 verify-postback.php
//
// This runs an endpoint that accepts signed postbacks; copy verifyPostback() into your code. With `authMethod` Basic, the
// authorization is 'Basic <base64 of user:password>'. During the rotation of a secret, pass the new and the old one, separated
// by a space: POSTBACK_SIGNING_SECRETS='whsec_new… whsec_old…'.

declare(strict_types=1);

const TOLERANCE_SECONDS = 300;
/** The maximum size of a body. No postback is larger. */
const MAX_BODY_BYTES = 1024 * 1024;

/** The postback cannot be trusted. */
class NotTrusted extends Exception
{
}

/**
 * @param string $authorization the whole header that you expect: `Bearer <key>`, or `Basic <base64 of user:password>`
 * @param string[] $secrets `whsec_…`. Pass several during a rotation: one of them must match
 * @param array<string, string> $headers names in lower case
 * @param string $rawBody the body exactly as it was received: JSON that was parsed and serialized again may differ
 * @return string the webhook-id, the same for every retry
 * @throws NotTrusted
 */
function verifyPostback(string $authorization, array $secrets, array $headers, string $rawBody, ?int $now = null): string
{
    if (!hash_equals($authorization, $headers['authorization'] ?? '')) {
        throw new NotTrusted('the authorization is wrong');
    }
    $id = $headers['webhook-id'] ?? '';
    $timestamp = $headers['webhook-timestamp'] ?? '';
    $signatures = $headers['webhook-signature'] ?? '';
    if ($id === '' || $timestamp === '' || $signatures === '') {
        throw new NotTrusted('a webhook header is missing');
    }
    if (preg_match('/^[0-9]{1,12}\z/', $timestamp) !== 1) {
        throw new NotTrusted('the timestamp is not in Unix seconds');
    }
    if (abs(($now ?? time()) - (int) $timestamp) > TOLERANCE_SECONDS) {
        throw new NotTrusted('the timestamp is too old or too new');
    }

    // The header has one entry for each secret that signs: "v1,<base64> v1,<base64>". Entries of other versions are ignored.
    $received = array_filter(explode(' ', $signatures), fn (string $entry): bool => str_starts_with($entry, 'v1,'));
    $matches = 0;
    foreach ($secrets as $secret) {
        $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
        if ($key === false) {
            throw new RuntimeException('a signing secret is not base64');
        }
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$rawBody", $key, true));
        foreach ($received as $entry) {
            // Compares in constant time, so that the duration does not reveal how many characters match.
            $matches += hash_equals($expected, $entry) ? 1 : 0;
        }
    }
    if ($matches === 0) {
        throw new NotTrusted('no signature matches');
    }
    return $id;
}

/**
 * Returns the fields of a body. Throws NotTrusted if the body is not a sale, a notice or another event.
 *
 * @return array<string, mixed>
 */
function bodyOf(string $rawBody): array
{
    try {
        $body = json_decode($rawBody, true, 32, JSON_THROW_ON_ERROR);
    } catch (JsonException) {
        throw new NotTrusted('the body is not JSON');
    }
    if (!is_array($body)) {
        throw new NotTrusted('the body is not an object');
    }
    $event = $body['event'] ?? null;
    $hasOid = is_string($body['oid'] ?? null);
    $isSale = $event === null && $hasOid && is_array($body['items'] ?? null);
    $isNotice = $event === 'sale.closed' && $hasOid && is_string($body['status'] ?? null);
    $isOther = $event !== null && $event !== 'sale.closed';
    if (!$isSale && !$isNotice && !$isOther) {
        throw new NotTrusted('the body is not a postback');
    }
    return $body;
}

/**
 * Handles a postback, unless it was handled before. Store the ids in your database, with a unique key, in the transaction that
 * books the sale. This example uses a file for each id instead.
 *
 * @param array<string, mixed> $body
 * @return string the answer
 */
function handleOnce(string $id, array $body): string
{
    $directory = sys_get_temp_dir() . '/handled-postbacks-' . getmypid();
    if (!is_dir($directory)) {
        mkdir($directory, 0700);
    }
    $marker = $directory . '/' . hash('sha256', $id);
    if (file_exists($marker)) {
        return 'handled before';
    }
    $answer = handle($body);
    touch($marker);
    return $answer;
}

/**
 * Sales and notices come to the same URL. Distinguish them by the body, because the body is signed and the header `X-Event` is not.
 *
 * @param array<string, mixed> $body
 */
function handle(array $body): string
{
    if (!isset($body['event']) && str_starts_with($body['oid'], 'test_')) {
        // Sent by POST /partner/postback/test: book nothing.
        return 'sample';
    }
    if (!isset($body['event'])) {
        error_log('sale ' . $body['oid'] . ' of ' . (($body['sharedId'] ?? '') ?: 'no reference'));
        return 'handled';
    }
    if ($body['event'] === 'sale.closed') {
        // refunded or charged_back: take back what you gave for it.
        error_log('sale ' . $body['oid'] . ' is ' . $body['status']);
        return 'closed';
    }
    // An event of a later version.
    return 'ignored';
}

/**
 * Returns the expected Authorization header and the secrets. Throws if one is missing or malformed: with such
 * settings, every postback would be refused or, worse, accepted.
 *
 * @return array{string, string[]}
 */
function readSettings(): array
{
    $authorization = (string) getenv('POSTBACK_AUTHORIZATION');
    if (preg_match('/^(Bearer|Basic) \S+\z/', $authorization) !== 1) {
        throw new RuntimeException('POSTBACK_AUTHORIZATION must be "Bearer <key>" or "Basic <base64 of user:password>"');
    }
    $secrets = array_filter(explode(' ', (string) getenv('POSTBACK_SIGNING_SECRETS')));
    if ($secrets === [] || preg_grep('~^whsec_[A-Za-z0-9+/]+={0,2}\z~', $secrets, PREG_GREP_INVERT) !== []) {
        throw new RuntimeException(
            'POSTBACK_SIGNING_SECRETS must be whsec_…; during a rotation two of them, separated by a space'
        );
    }
    return [$authorization, $secrets];
}

if (PHP_SAPI === 'cli-server' || PHP_SAPI === 'fpm-fcgi') {
    // Reads at most one byte more than is allowed.
    $rawBody = (string) file_get_contents('php://input', false, null, 0, MAX_BODY_BYTES + 1);
    if (strlen($rawBody) > MAX_BODY_BYTES) {
        http_response_code(413);
        echo 'the body is too long';
        exit;
    }
    $headers = array_change_key_case(getallheaders(), CASE_LOWER);
    try {
        [$authorization, $secrets] = readSettings();
        $id = verifyPostback($authorization, $secrets, $headers, $rawBody);
        echo handleOnce($id, bodyOf($rawBody));
    } catch (NotTrusted $error) {
        http_response_code(401);
        echo $error->getMessage();
    } catch (Throwable $error) {
        // Any answer except 2xx and 410 makes Tandem send the postback again later. PHP reads this script at each request, so wrong
        // settings are noticed here.
        error_log($error->getMessage());
        http_response_code(500);
    }
}
