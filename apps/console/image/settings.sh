#!/bin/sh
# Prints the settings of the console from the environment, for nginx.conf to include. Exits with 78 if a value is invalid.
set -eu
LC_ALL=C

issuer=${CONSOLE_OIDC_ISSUER:-}
client_id=${CONSOLE_OIDC_CLIENT_ID:-tandem-console}
scope=${CONSOLE_OIDC_SCOPE:-openid profile offline_access partner:manage support}

refuse() {
  echo "$1" >&2
  exit 78
}

# The values become part of nginx's configuration, of a header and of JSON, so they must not contain characters that are special in
# any of these.
case $issuer in
  '') echo 'CONSOLE_OIDC_ISSUER is empty: managers and support cannot sign in' >&2 ;;
  *[!A-Za-z0-9:/._~%-]*) refuse 'CONSOLE_OIDC_ISSUER contains a character that is not allowed' ;;
  http://[A-Za-z0-9]* | https://[A-Za-z0-9]*) ;;
  *) refuse 'CONSOLE_OIDC_ISSUER must be an http(s) URL' ;;
esac
case $client_id in *[!A-Za-z0-9:/._~@-]*) refuse 'CONSOLE_OIDC_CLIENT_ID contains a character that is not allowed' ;; esac
case $scope in *[!A-Za-z0-9:/._~@\ -]*) refuse 'CONSOLE_OIDC_SCOPE contains a character that is not allowed' ;; esac

for setting in "issuer $issuer" "client_id $client_id" "scope $scope"; do
  # A map that has only a default gives the variable this value in all requests.
  printf 'map "" $%s { default "%s"; }\n' "${setting%% *}" "${setting#* }"
done
