// Rings the bells of every thread of this process that has opened the same file.
import { BroadcastChannel } from 'node:worker_threads';

export class Rings<What> {
  readonly #channel: BroadcastChannel;
  readonly #heard: (what: What) => void;
  #isClosed = false;

  /** Calls `heard` with the argument of each `ring`, in any of these threads. */
  constructor(file: string, heard: (what: What) => void) {
    this.#heard = heard;
    this.#channel = new BroadcastChannel(file);
    this.#channel.onmessage = ({ data }) => heard(data as What);
    // A thread that only waits for rings may end.
    this.#channel.unref();
  }

  /** Does nothing once closed. */
  ring(what: What): void {
    if (this.#isClosed) return;
    this.#heard(what);
    this.#channel.postMessage(what);
  }

  close(): void {
    this.#isClosed = true;
    this.#channel.close();
  }
}
