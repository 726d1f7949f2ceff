#!/bin/sh
# Fills the folder $1 with the root file system of an image: Node, the libraries that it is linked with, certificates, time
# zones, and the account under which its program runs. The image has no shell, no package manager and no npm.
set -eu
root=$1
node=/usr/local/bin/node

mkdir -p "$root/usr/local/bin" "$root/etc/ssl/certs" "$root/usr/share" "$root/var/lib/dpkg/status.d" "$root/lib64" \
  "$root/home/node" "$root/data"
cp "$node" "$root$node"
for library in $(ldd "$node" | grep -o '/[^ ]*'); do
  # The library is copied to the path at which programs look for it, even if that path is a link.
  mkdir -p "$root$(dirname "$library")"
  cp --dereference "$library" "$root$library"
done
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
cp --recursive /usr/share/zoneinfo "$root/usr/share/" 2>/dev/null || true
cp /etc/os-release "$root/etc/"

# Vulnerability scanners read these files in place of a package manager's list.
for package in libc6 libgcc-s1 libstdc++6 ca-certificates tzdata; do
  dpkg-query --status "$package" >"$root/var/lib/dpkg/status.d/$package" 2>/dev/null ||
    rm "$root/var/lib/dpkg/status.d/$package"
done

echo 'root:x:0:0:root:/root:/sbin/nologin
node:x:1000:1000:node:/home/node:/sbin/nologin' >"$root/etc/passwd"
echo 'root:x:0:
node:x:1000:' >"$root/etc/group"
echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
mkdir -m 1777 "$root/tmp"
chown 1000:1000 "$root/home/node" "$root/data"
