// The input and the result of the task `open-loop`.

/** A request that is sent at a rate that does not depend on the responses. */
export interface OpenLoop {
  readonly url: string;
  readonly request: string;
  readonly perSecond: number;
  readonly seconds: number;
}

/** The result of the requests. Times are in milliseconds from the time at which a request was sent. */
export interface OpenLoopResult {
  readonly accepted: number;
  readonly shed: number;
  /** Requests whose connections were refused or closed. */
  readonly failed: number;
  readonly acceptedP50: number;
  readonly acceptedP99: number;
  readonly acceptedMax: number;
  readonly shedP99: number;
  /** Requests that were due while every connection waited for a response. */
  readonly unsent: number;
  /** How late the load generator sent requests that were due. */
  readonly lateP99: number;
  /** How long the last responses took after the last request was due. */
  readonly drainMs: number;
}
