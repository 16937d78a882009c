/** The commands for watches: places that a server looks at for new builds, and whether what they found is ready. */
@NullMarked
package dev.offsetd.cli.watch;

import org.jspecify.annotations.NullMarked;
