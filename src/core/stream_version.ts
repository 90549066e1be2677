/** The version of the event stream, which its first event says. Goes up where a field is taken away, which none was yet. */
export const STREAM_VERSION = 1;
