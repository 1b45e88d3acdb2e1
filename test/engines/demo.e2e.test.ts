// npm run demo against the service on the real set.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Page, type Protocol, successful } from '../http/samples.js';
import { EnginesOfFile, withEngines } from '../support/engines-of-file.js';
import { eventually } from '../support/eventually.js';
import { RealService } from '../support/real-service.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const INSTRUMENTS = ['PHQ-9', 'GAD-7', 'AUDIT', 'Glasgow'];

withEngines('the demo on the real set', () =>
  describe('the demo on the real set', () => {
    const engines = new EnginesOfFile();
    const service = new RealService(() => engines.urls);
    beforeAll(() => service.start());
    afterAll(() => service.end());

    /** Runs it to its end; `onText` hears all that it has said so far, as it comes. */
    const demo = async (onText: (said: string) => void) => {
      const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], BASE_URL: service.url, ...engines.urls };
      const child = spawn('npm', ['run', '--silent', 'demo'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
      let out = '';
      child.stdout.setEncoding('utf8').on('data', (said: string) => {
        out += said;
        onText(out);
      });
      const [[code], err] = await Promise.all([once(child, 'close'), text(child.stderr)]);
      return { code: code as number | null, out, err };
    };

    it('shows everything while a worker is killed, and the other one goes on', async () => {
      const worker = await service.leadingWorker();
      let saidBefore: string | undefined;
      let killing: Promise<unknown> | undefined;
      const { code, out, err } = await demo((said) => {
        if (saidBefore !== undefined || !said.includes('Four instruments')) return;
        saidBefore = said;
        killing = worker.kill();
      });
      expect({ code, err }).toEqual({ code: 0, err: '' });
      await killing;
      expect(worker.hasEnded).toBe(true);
      expect(saidBefore).not.toContain('A new version of');

      const answers = [...out.matchAll(/^ {4}answered {2}(\d+) /gm)].map(([, status]) => Number(status));
      expect(answers.length).toBeGreaterThan(10);
      expect(answers.filter((status) => status >= 300)).toEqual([]);
      for (const type of ['InstitutionCreated', 'ProtocolCreated', 'ProtocolOptionRevised'])
        expect(out).toContain(type);
      const [, institutionId] = /\/institutions\/([0-9a-f-]{36})$/.exec(out.trimEnd()) ?? [];
      expect(institutionId).toBeDefined();

      await service.takenOver();
      await eventually(async () => {
        const { items } = successful(
          await service.get<Page<Protocol>>(`/protocols?institutionId=${institutionId}`),
        ).body;
        expect(items.map(({ name }) => name.split(' ')[0])).toEqual(INSTRUMENTS);
      });
    });
  }),
);
