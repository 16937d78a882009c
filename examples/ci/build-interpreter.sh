#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the interpreter of the official image in which this script runs, with debug information: same source, same
# compiler, same options.
#
#   build-interpreter.sh ruby|php|python OUTPUT [FOLDER]
#
# FOLDER is where it builds (default: /usr/src/offsetd); it must not exist.
#
# Hosts of the image get answers only if the build-id is that of the image's interpreter, which this script cannot promise.

set -eu

# The hash is that of the image's own build.
fetch() {
    if command -v curl >/dev/null; then curl -fsSL -o source "$1"; else wget -q -O source "$1"; fi
    echo "$2  source" | sha256sum -c -
    mkdir tree
    tar -C tree --strip-components=1 -xf source
    cd tree
}

output=$2
folder=${3:-/usr/src/offsetd}
mkdir "$folder"
cd "$folder"
if command -v apk >/dev/null; then
    apk add --no-cache autoconf bzip2-dev curl g++ gcc gdbm-dev libc-dev libffi-dev libxml2-dev libxslt-dev linux-headers make \
        ncurses-dev oniguruma-dev openssl-dev readline-dev sqlite-dev xz-dev yaml-dev zlib-dev
else
    apt-get update
    apt-get install --yes --no-install-recommends autoconf bison ca-certificates curl g++ gcc libbz2-dev libc6-dev \
        libcurl4-openssl-dev libffi-dev libgdbm-dev liblzma-dev libncurses-dev libonig-dev libreadline-dev libsodium-dev \
        libsqlite3-dev libssl-dev libxml2-dev libxslt1-dev libyaml-dev make uuid-dev xz-utils zlib1g-dev
fi
case $1 in
    ruby)
        fetch "$RUBY_DOWNLOAD_URL" "$RUBY_DOWNLOAD_SHA256"
        options=$(ruby -rrbconfig -e 'print RbConfig::CONFIG["configure_args"]')
        built='libruby.so*'
        ;;
    php)
        fetch "$PHP_URL" "$PHP_SHA256"
        options=$(php-config --configure-options)
        export CFLAGS="${PHP_CFLAGS:-} -g" CPPFLAGS="${PHP_CPPFLAGS:-}" LDFLAGS="${PHP_LDFLAGS:-}"
        built='php libphp.so'
        ;;
    python)
        fetch "https://www.python.org/ftp/python/${PYTHON_VERSION%%[a-z]*}/Python-$PYTHON_VERSION.tar.xz" "$PYTHON_SHA256"
        options=$(python3 -c 'import sysconfig; print(sysconfig.get_config_var("CONFIG_ARGS"))' | sed 's/-Wl,--strip-all//')
        built='libpython3.*.so*'
        ;;
    *) exit 2 ;;
esac
# The recorded options are quoted for a shell.
eval "./configure $options"
make -j "$(nproc)"
set -f
copied=
for name in $built; do
    copied=$copied$(find . -type f -name "$name" -exec cp {} "$output/" \; -print)
done
[ -n "$copied" ] || {
    echo "the build made no file named $built" >&2
    exit 1
}
