// GET of a form (the PHQ-9) against an Express that answers the same text from a variable.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBaseline, startReady } from '../lib/processes.js';
import { anInstitution, phq9Body, post } from '../lib/samples.js';
import { atLeast } from '../lib/stats.js';
import type { Measure } from '../measure.js';
import { below, loadInTurn, loadRow } from './http.js';

interface Created {
  readonly protocol: { readonly id: string };
  readonly form: { readonly id: string };
}

export const readForm: Measure = {
  name: 'read-form',
  title: 'GET of a form',
  run: async (bench) => {
    const product = await startReady(below(bench, 'product'));
    const institutionId = await anInstitution(product.url);
    const { protocol, form } = await post<Created>(`${product.url}/protocols/questionnaires`, phq9Body(institutionId));
    const path = `/protocols/${protocol.id}/forms/${form.id}`;
    const text = await (await fetch(`${product.url}${path}`)).text();
    const directory = below(bench, 'stored');
    writeFileSync(join(directory, 'stored.json'), text);
    const stored = await startBaseline('stored', directory, { STORED: join(directory, 'stored.json') });
    const request = { method: 'GET', path } as const;
    const samples = await loadInTurn(bench, {
      ours: { server: product, request },
      stored: { server: stored, request },
    });
    const baseline = { name: 'Express, stored string', samples: samples.stored };
    const row = loadRow(`GET of a form, ${Buffer.byteLength(text)} bytes`, samples.ours, baseline);
    return [{ ...row, aim: atLeast(0.85, row.ratio) }];
  },
};
