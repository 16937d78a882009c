# shellcheck shell=sh disable=SC2154
# ./offsetd dist [--release]: makes the release artefacts in target/dist, for the architecture of this machine:
# packaging/README.md. Two runs of one commit make the same bytes: packaging/reproduce.
# Debian packages: apt debian-archive-keyring dpkg git jq zstd.

. "$root/packaging/assemble.sh"

refuse() {
    say "dist: $*"
    exit "$EXIT_BUILD_FAILED"
}

# Prints the value of an element of the first level of pom.xml, or of a property.
pom() {
    sed -n "s|^ *<$1>\(.*\)</$1>\$|\1|p" "$root/pom.xml" | sed -n "$2p"
}

for tool in dpkg-deb git jq zstd; do
    command -v "$tool" >/dev/null || refuse "missing: $tool"
done
version=$(pom version 2)
licence=$(pom offsetd.licence 1)
case $#:${1:-} in
    0:) ;;
    1:--release)
        case $version in *-SNAPSHOT) refuse "the version is $version; expected one without -SNAPSHOT" ;; esac
        grep -q "^## $version - [0-9]" "$root/CHANGELOG.md" ||
            refuse "CHANGELOG.md has no section \"## $version - DATE\""
        [ -z "$(git -C "$root" status --porcelain)" ] || refuse 'the checkout has changes that are not committed'
        ;;
    *)
        say 'usage: offsetd dist [--release]'
        exit "$EXIT_USAGE"
        ;;
esac
case $(uname -m) in
    x86_64) architecture=amd64 ;;
    aarch64) architecture=arm64 ;;
    *) refuse "the machine is $(uname -m); expected x86_64 or aarch64" ;;
esac
commit=$(git -C "$root" rev-parse HEAD)
SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct)
export SOURCE_DATE_EPOCH
umask 022

require_build
dist=$root/target/dist
name=offsetd-$version-linux-$architecture
work=$state/dist
rm -rf "$work" "$dist"
mkdir -p "$work" "$dist"

progress 'offsetd: making the SBOM, sources and Javadoc; log: '"$work/maven.log"
(cd "$root" && ./mvnw -q -B -Pdist,programs,unchecked -Dmaven.test.skip=true -Dspotless.check.skip=true package) \
    >"$work/maven.log" 2>&1 </dev/null || { tail -n 30 "$work/maven.log" >&2 && refuse 'Maven failed'; }
progress ''
jq --arg licence "$licence" '.metadata.component.licenses = [{license: {id: $licence}}]' "$root/target/programs/offsetd.cdx.json" \
    >"$dist/offsetd-$version.cdx.json"
unlisted=$(jq -r --rawfile allowed "$root/packaging/licences.txt" \
    '($allowed | split("\n") | map(select(. != "" and (startswith("#") | not)))) as $allowed
    | .components[] | select(.group != "dev.offsetd")
    | select([.licenses[]? | .license.id // .license.name // .expression] | any(IN($allowed[])) | not) | .purl' \
    "$dist/offsetd-$version.cdx.json")
[ -z "$unlisted" ] || refuse "not under a licence of packaging/licences.txt: $unlisted"

progress 'offsetd: assembling'
home=$work/$name
mkdir "$home"
assemble "$home" || refuse "cannot write $home"
{
    echo 'offsetd contains the following components, each under one of the licences named beside it.'
    echo
    jq -r '.components[] | select(.group != "dev.offsetd")
        | "\(.group):\(.name) \(.version)\t\([.licenses[]? | .license.id // .license.name // .expression] | join(" or "))"' \
        "$dist/offsetd-$version.cdx.json"
    echo 'The Java runtime in runtime/ has its own notices in runtime/legal.'
} >"$home/THIRD-PARTY"
cp "$root/CHANGELOG.md" "$root/LICENSE" "$root/NOTICE" "$home/"
mkdir -p "$home/share/man/man1" "$home/share/completions" "$home/share/systemd"
cp "$root/packaging/offsetd.service" "$home/share/systemd/"
mkdir "$home/share/ci"
cp "$root"/examples/ci/*.sh "$home/share/ci/"
command="$home/cli/offsetd-cli"
"$command" man >"$home/share/man/man1/offsetd.1"
for page in $(sed -n '/^\.SH COMMANDS/,/^\.SH EXIT/s/^\\fB\(.*\)\\fR$/\1/p' "$home/share/man/man1/offsetd.1" | tr -d '\\'); do
    # These exist only in a checkout, or need no page.
    case $page in help | install | test | dist) continue ;; esac
    "$command" man "$page" >"$home/share/man/man1/offsetd-$page.1"
done
for shell in bash zsh fish; do
    "$command" completion "$shell" >"$home/share/completions/offsetd.$shell"
done
tar --sort=name --format=posix --pax-option=delete=atime,delete=ctime "--mtime=@$SOURCE_DATE_EPOCH" \
    --owner=0 --group=0 --numeric-owner -C "$work" -cf - "$name" | zstd -q -12 -T0 -o "$dist/$name.tar.zst"

. "$root/packaging/deb.sh"
"$root/packaging/image/base" "$architecture" "$work/base.tar" || refuse 'no base for the image'
JIB=$state/jib "$root/packaging/image/make" "$work/base.tar" "$home" "$dist/$name.oci.tar" "$architecture" "$version" \
    "$commit" "$licence" || refuse 'no image'

for module in offset-extractor query; do
    jars=$root/$module/target/programs
    cp "$root/$module/pom.xml" "$dist/$(basename "$jars"/*-sources.jar -sources.jar).pom"
    cp "$jars"/*-"$version".jar "$jars"/*-sources.jar "$jars"/*-javadoc.jar "$dist/"
done
cp "$root/pom.xml" "$dist/offsetd-$version.pom"
(cd "$dist" && sha256sum -- *) >"$work/files"
jq -n --arg version "$version" --arg commit "$commit" \
    --arg changed "$(git -C "$root" status --porcelain | head -n 1)" --arg epoch "$SOURCE_DATE_EPOCH" \
    --arg jdk "$(sed -n 's/^JAVA_RUNTIME_VERSION="\(.*\)"/\1/p' "$JAVA_HOME/release")" --arg architecture "$architecture" \
    --rawfile base "$root/packaging/image/base.txt" --rawfile files "$work/files" \
    '{version: $version, commit: $commit, modified: ($changed != ""), sourceDateEpoch: ($epoch | tonumber), jdk: $jdk,
        imageBase: [$base | split("\n")[] | split(" ") | select(.[1] == $architecture or .[1] == "all")
            | {name: .[2], version: .[3], sha256: .[0]}],
        files: [$files | split("\n")[] | select(. != "") | {name: .[66:], sha256: .[:64]}]}' >"$work/provenance.json"
mv "$work/provenance.json" "$dist/"
(cd "$dist" && sha256sum -- * >"$work/SHA256SUMS" && mv "$work/SHA256SUMS" .)
rm -rf "$work"
progress ''
ls -1 "$dist"
