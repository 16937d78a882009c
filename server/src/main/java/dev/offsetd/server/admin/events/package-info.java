/** The pages of events and webhooks. They must not decide what an event is. */
@NullMarked
package dev.offsetd.server.admin.events;

import org.jspecify.annotations.NullMarked;
