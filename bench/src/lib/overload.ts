// The input and the result of the task `open-loop`.

/** One request, sent at a rate that does not depend on the answers. */
export interface OpenLoop {
  readonly url: string;
  readonly request: string;
  readonly perSecond: number;
  readonly seconds: number;
}

/** What came of them; times in milliseconds from the instant at which a request was sent. */
export interface OpenLoopResult {
  readonly accepted: number;
  readonly shed: number;
  /** Requests whose connections were refused or closed. */
  readonly failed: number;
  readonly acceptedP50: number;
  readonly acceptedP99: number;
  readonly acceptedMax: number;
  readonly shedP99: number;
  /** Requests that were due while every connection waited for an answer. */
  readonly unsent: number;
  /** How late the load generator sent what was due. */
  readonly lateP99: number;
  /** How long the last answers took after the last request was due. */
  readonly drainMs: number;
}
