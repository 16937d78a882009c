package dev.offsetd.server.answers.offsets;

/** Value on which other builds agree for a build without debug information, or the reason why there is none. */
sealed interface ConsensusResult<T> {

    record Given<T>(T value) implements ConsensusResult<T> {}

    record Declined<T>(NoConsensus reason) implements ConsensusResult<T> {}
}
