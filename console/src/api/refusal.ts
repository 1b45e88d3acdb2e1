// The refusals of the service: problem documents (RFC 9457), and requests that got no response.

/** A fault of one field. `pointer` is a JSON pointer into the body of the request. */
export interface FieldFault {
  readonly pointer?: string;
  readonly parameter?: string;
  readonly code: string;
  readonly message: string;
}

/** The members of a problem document that pages use. Other members depend on its code. */
export interface Problem {
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly errors?: readonly FieldFault[];
  readonly [member: string]: unknown;
}

/** Signals that a request was refused, or that no response came. Then the code is `unreachable`. */
export class Refusal extends Error {
  readonly problem: Problem;
  /** The seconds after which the service wants to see the request again; undefined if it says nothing. */
  readonly retryAfterS: number | undefined;

  constructor(problem: Problem, retryAfterS?: number) {
    super(problem.code);
    this.name = 'Refusal';
    this.problem = problem;
    this.retryAfterS = retryAfterS;
  }

  get code(): string {
    return this.problem.code;
  }
}

/** Returns whether an error is a refusal with this code. */
export const isRefused = (error: unknown, code: string): error is Refusal =>
  error instanceof Refusal && error.code === code;

/** Returns the refusal of a request that got no response. */
export const unreachable = (cause: unknown): Refusal => {
  const refusal = new Refusal({ code: 'unreachable', title: 'The service cannot be reached', detail: String(cause) });
  refusal.cause = cause;
  return refusal;
};

/** Returns the refusal in a response. A proxy between browser and service may respond without a problem document. */
export const refusalOf = (response: Response, body: unknown): Refusal => {
  const { code, ...problem } = (typeof body === 'object' && body !== null ? body : {}) as Partial<Problem>;
  const title = `${response.status} ${response.statusText}`;
  return new Refusal(
    { title, detail: '', ...problem, code: code ?? `status-${response.status}` },
    retryAfterOf(response),
  );
};

/** Returns the seconds in Retry-After; undefined without the header. */
export const retryAfterOf = ({ headers }: Response): number | undefined => {
  const seconds = Number.parseInt(headers.get('Retry-After') ?? '', 10);
  return Number.isNaN(seconds) ? undefined : seconds;
};
