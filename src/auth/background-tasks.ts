// What is done once the answer is on its way, so that the time of an answer tells nothing of it.

/** Tasks that nobody waits for but whoever closes the service. */
export class BackgroundTasks {
  readonly #onError: (error: unknown) => void;
  readonly #running = new Set<Promise<void>>();

  /** `onError` hears of what could not be done. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Does a task. */
  run(task: () => Promise<unknown>): void {
    const running = task().then(
      () => undefined,
      (error: unknown) => this.#onError(error),
    );
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
  }

  /** Resolves when all that was begun is done. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }
}
