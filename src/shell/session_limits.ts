/** How long a call may wait for a session: for its end or a line of output, and for new output. */
export const MOST_WAIT_S = 600;
export const MOST_POLL_S = 300;
