# shellcheck shell=sh disable=SC2154
# ./offsetd renew NAME...: writes committed files anew that tests compare with the code. Without a name it lists them.

if [ $# -eq 0 ]; then
    cat <<'END'
usage: offsetd renew NAME...; review the difference afterwards
  diagrams     docs/architecture.md, from the packages and what they use
  answers      src/test/resources/recorded, from the answers of commands and servers
  checklist    docs/reliability.md, from @ChecklistRow of the tests
  screenshots  docs/screenshots, from the admin pages in a browser
END
    exit
fi
for name in "$@"; do
    case $name in
        diagrams | answers | checklist | screenshots) ;;
        *)
            say "nothing to renew: $name; expected diagrams, answers, checklist or screenshots"
            exit "$EXIT_USAGE"
            ;;
    esac
done

# Runs Maven with these arguments. A test whose tool is missing would be skipped, and renew nothing: with CI=true it fails.
renew() {
    CI=true ./mvnw -q -B -Dspotless.check.skip=true -Dsurefire.failIfNoSpecifiedTests=false \
        -Dfailsafe.failIfNoSpecifiedTests=false "$@" </dev/null || exit 1
}

require_jdk
take_lock
cd "$root"
for name in "$@"; do
    echo "Renewing $name"
    case $name in
        diagrams) renew -pl server -am test -Dtest=ArchitectureDiagramTests -Darchitecture=renew ;;
        answers)
            renew -pl server -am verify -Dtest=RecordedOutputTests -Dit.test=RecordedAnswersIntegrationTests -Drecorded=renew
            ;;
        checklist) renew verify -DskipTests -Dreliability=renew ;;
        screenshots)
            renew -Pbrowser -pl server -am verify -Dtest=none -Dit.test=PagesIntegrationTests \
                "-Dscreenshots=$root/docs/screenshots"
            ;;
    esac
done
