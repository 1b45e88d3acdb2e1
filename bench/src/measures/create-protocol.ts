// A durable POST /protocols against an Express that checks the same body and answers it without storing anything.
import { startBaseline, startReady } from '../lib/processes.js';
import { anInstitution, protocolBody } from '../lib/samples.js';
import { atLeast } from '../lib/stats.js';
import type { Measure } from '../measure.js';
import { below, loadInTurn, loadRow } from './http.js';

export const createProtocol: Measure = {
  name: 'create-protocol',
  title: 'POST /protocols',
  run: async (bench) => {
    const product = await startReady(below(bench, 'product'));
    const echo = await startBaseline('echo', below(bench, 'echo'));
    const body = JSON.stringify(protocolBody(await anInstitution(product.url)));
    const request = { method: 'POST', path: '/protocols', body } as const;
    const samples = await loadInTurn(bench, {
      ours: { server: product, request },
      echo: { server: echo, request },
    });
    const baseline = { name: 'Express + zod echo, not stored', samples: samples.echo };
    const row = loadRow('durable POST /protocols', samples.ours, baseline);
    return [{ ...row, aim: atLeast(0.6, row.ratio) }];
  },
};
