// Runs `npm run demo` against the service on the distributed engines. Callers must sign in.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newAdministrator } from '../http/callers.js';
import { type Page, type Protocol, successful } from '../http/samples.js';
import { PASSWORD } from '../http/signing-in.js';
import { expectPeopleIn, runDemo, statusesIn } from '../support/demo.js';
import { withEngines } from '../support/engines-of-file.js';
import { eventually } from '../support/eventually.js';
import { RealService } from '../support/real-service.js';

const INSTRUMENTS = ['PHQ-9', 'GAD-7', 'AUDIT', 'Glasgow'];

withEngines('the demo on the distributed engines', () =>
  describe('the demo on the distributed engines', () => {
    const service = new RealService({ AUTH: 'required' });
    beforeAll(() => service.start());
    afterAll(() => service.end());

    it('shows every step although a worker is killed, because the other worker continues', async () => {
      const { email, authorization } = await newAdministrator(service);
      const worker = await service.leadingWorker();
      let outputBefore: string | undefined;
      let killing: Promise<unknown> | undefined;
      const demo = { BASE_URL: service.url, ...service.engines, DEMO_EMAIL: email, DEMO_PASSWORD: PASSWORD };
      const { code, out, err } = await runDemo(demo, (output) => {
        if (outputBefore !== undefined || !output.includes('Four instruments')) return;
        outputBefore = output;
        killing = worker.kill();
      });
      expect({ code, err }).toEqual({ code: 0, err: '' });
      await killing;
      expect(worker.hasEnded).toBe(true);
      expect(outputBefore).not.toContain('A new version of');

      expect(statusesIn(out).length).toBeGreaterThan(40);
      // The demo shows one refusal: an e-mail address that is taken.
      expect(statusesIn(out).filter((status) => status >= 300)).toEqual([409]);
      for (const type of ['InstitutionCreated', 'ProtocolCreated', 'ProtocolOptionRevised', 'UserProfileResubmitted'])
        expect(out).toContain(type);
      expectPeopleIn(out);
      const [, institutionId] = /\/institutions\/([0-9a-f-]{36})$/.exec(out.trimEnd()) ?? [];
      expect(institutionId).toBeDefined();

      await service.untilTakenOver();
      await eventually(async () => {
        const { items } = successful(
          await service.get<Page<Protocol>>(`/protocols?institutionId=${institutionId}`, authorization),
        ).body;
        expect(items.map(({ name }) => name.split(' ')[0])).toEqual(INSTRUMENTS);
      });
    });
  }),
);
