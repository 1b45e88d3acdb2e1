// Baseline: bare Express that answers a stored string, with the ETag that Express makes of it.
import { readFileSync } from 'node:fs';
import express from 'express';
import { serve } from './serve.js';

const stored = readFileSync(process.env['STORED'] ?? '', 'utf8');

const app = express();
app.get('/protocols/:id/forms/:formId', (_, response) => {
  response.type('json').send(stored);
});
serve(app);
