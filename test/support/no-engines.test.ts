// Stands in the run for the HTTP tests on the distributed engines where those cannot be had.
import { inject, it } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Why the distributed engines cannot be had here; absent where they can. */
    readonly noEngines: string | undefined;
  }
}

it('the HTTP tests on the distributed engines', ({ skip }) => skip(inject('noEngines')));
