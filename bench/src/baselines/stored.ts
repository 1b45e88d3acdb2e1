// Baseline: bare Express that responds to GETs of one path with a stored text and the ETag that Express derives from
// it.
import { readFileSync } from 'node:fs';
import express from 'express';
import { serve } from './serve.js';

const stored = readFileSync(process.env['STORED'] ?? '', 'utf8');

const app = express();
app.get(process.env['STORED_AT'] ?? '/', (_, response) => {
  response.type('json').send(stored);
});
serve(app);
