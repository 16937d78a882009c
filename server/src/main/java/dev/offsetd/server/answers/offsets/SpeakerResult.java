package dev.offsetd.server.answers.offsets;

/** Result of a search for the builds that may speak for another. */
public sealed interface SpeakerResult permits SpeakerSelection, NoConsensus {}
