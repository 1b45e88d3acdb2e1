// Tasks that run after the response was sent, so that response times reveal nothing about them.

/** Runs tasks that only the shutdown of the service waits for. */
export class BackgroundTasks {
  readonly #onError: (error: unknown) => void;
  readonly #running = new Set<Promise<void>>();

  /** `onError` is called with the error of each failed task. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Starts a task. */
  run(task: () => Promise<unknown>): void {
    const running = task().then(
      () => undefined,
      (error: unknown) => this.#onError(error),
    );
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
  }

  /** Resolves when all started tasks have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }
}
