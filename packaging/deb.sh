# shellcheck shell=sh disable=SC2154
# Makes the Debian package of the folder $home; packaging/dist.sh reads this file.

tree=$work/deb
install -d "$tree/DEBIAN" "$tree/usr/lib" "$tree/usr/bin" "$tree/usr/share/man/man1" \
    "$tree/usr/share/bash-completion/completions" "$tree/usr/share/zsh/vendor-completions" \
    "$tree/usr/share/fish/vendor_completions.d" "$tree/usr/share/doc/offsetd" "$tree/usr/lib/systemd/system" \
    "$tree/etc/offsetd"
cp -Rp "$home" "$tree/usr/lib/offsetd"
mv "$tree/usr/lib/offsetd/share/completions/offsetd.bash" "$tree/usr/share/bash-completion/completions/offsetd"
mv "$tree/usr/lib/offsetd/share/completions/offsetd.zsh" "$tree/usr/share/zsh/vendor-completions/_offsetd"
mv "$tree/usr/lib/offsetd/share/completions/offsetd.fish" "$tree/usr/share/fish/vendor_completions.d/offsetd.fish"
gzip -9n "$tree"/usr/lib/offsetd/share/man/man1/*.1
mv "$tree"/usr/lib/offsetd/share/man/man1/*.1.gz "$tree/usr/share/man/man1/"
sed 's|/opt/offsetd/|/usr/lib/offsetd/|' "$tree/usr/lib/offsetd/share/systemd/offsetd.service" \
    >"$tree/usr/lib/systemd/system/offsetd.service"
rm -r "$tree/usr/lib/offsetd/share/man" "$tree/usr/lib/offsetd/share/completions" "$tree/usr/lib/offsetd/share/systemd"
{
    cat "$tree/usr/lib/offsetd/NOTICE"
    printf '\nLicense: %s\nThe text is in /usr/share/common-licenses/%s.\n\n' "$licence" "$licence"
    cat "$tree/usr/lib/offsetd/THIRD-PARTY"
} >"$tree/usr/share/doc/offsetd/copyright"
rm "$tree/usr/lib/offsetd/THIRD-PARTY"
gzip -9n "$tree/usr/lib/offsetd/CHANGELOG.md"
mv "$tree/usr/lib/offsetd/CHANGELOG.md.gz" "$tree/usr/share/doc/offsetd/changelog.gz"
ln -s ../lib/offsetd/offsetd "$tree/usr/bin/offsetd"
# The environment of the service may hold secrets.
install -m 0600 /dev/null "$tree/etc/offsetd/environment"
echo /etc/offsetd/environment >"$tree/DEBIAN/conffiles"
cat >"$tree/DEBIAN/control" <<END
Package: offsetd
Version: $(printf '%s' "$version" | sed 's/-SNAPSHOT/~snapshot/')
Architecture: $architecture
Maintainer: offsetd maintainers <offsetd@localhost>
Depends: libc6 (>= 2.27), libgcc-s1 | libgcc1, libstdc++6, passwd
Recommends: libc6-dbg
Section: devel
Priority: optional
Installed-Size: $(find "$tree/usr" -type f -printf '%s\n' | awk '{ sum += $1 } END { print int(sum / 1024) }')
Description: struct offsets and symbols by ELF build-id
 Serves the struct layouts and symbols of debug files over HTTP, and reads them from files.
END
cat >"$tree/DEBIAN/postinst" <<'END'
#!/bin/sh
set -e
if [ "$1" = configure ]; then
    getent passwd offsetd >/dev/null ||
        useradd --system --home-dir /var/lib/offsetd --no-create-home --shell /usr/sbin/nologin offsetd
    install -d -o offsetd -g offsetd -m 0700 /var/lib/offsetd
    # Makes starts faster. The JVM accepts the caches only where they were made.
    rm -f /usr/lib/offsetd/offsetd.aot* /usr/lib/offsetd/cli/offsetd.aot*
    (. /usr/lib/offsetd/programs.sh && train_server /usr/lib/offsetd && train_cli /usr/lib/offsetd/cli) || :
    [ ! -d /run/systemd/system ] || systemctl daemon-reload || :
fi
END
cat >"$tree/DEBIAN/prerm" <<'END'
#!/bin/sh
set -e
[ ! -d /run/systemd/system ] || [ "$1" != remove ] || systemctl disable --now offsetd || :
[ "$1" != remove ] || rm -f /usr/lib/offsetd/offsetd.aot* /usr/lib/offsetd/cli/offsetd.aot* \
    /usr/lib/offsetd/training.log /usr/lib/offsetd/cli/training.log
END
cat >"$tree/DEBIAN/postrm" <<'END'
#!/bin/sh
set -e
# The data stays: an administrator removes it, with the user.
[ ! -d /run/systemd/system ] || systemctl daemon-reload || :
END
chmod 0755 "$tree/DEBIAN/postinst" "$tree/DEBIAN/prerm" "$tree/DEBIAN/postrm"
find "$tree" -depth -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group -Zxz -z2 --build "$tree" \
    "$dist/offsetd_$(sed -n 's/^Version: //p' "$tree/DEBIAN/control")_$architecture.deb" >/dev/null
