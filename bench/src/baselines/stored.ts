// Baseline: bare Express that responds to the GET of one path with a stored text, and with the ETag that Express
// derives from it.
import { readFileSync } from 'node:fs';
import express from 'express';
import { serve } from './serve.js';

const stored = readFileSync(process.env['STORED'] ?? '', 'utf8');

const app = express();
app.get(process.env['STORED_AT'] ?? '/', (_, response) => {
  response.type('json').send(stored);
});
serve(app);
