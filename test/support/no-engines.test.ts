// Replaces the HTTP tests on the distributed engines if the engines are unavailable.
import { inject, it } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The reason why the distributed engines are unavailable here; absent if they are available. */
    readonly noEngines: string | undefined;
  }
}

it('the HTTP tests on the distributed engines', ({ skip }) => skip(inject('noEngines')));
