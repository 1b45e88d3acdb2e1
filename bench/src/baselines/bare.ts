// Baseline: bare Express and zod. Parses the body of a POST, checks it and returns it. Responds to the GETs of one path
// with a text from a variable and the ETag that Express derives from it. Stores nothing and logs nothing.
import { readFileSync } from 'node:fs';
import express from 'express';
import type { z } from 'zod';
import { Protocol, Questionnaire } from './schemas.js';
import { serve } from './serve.js';

const stored = readFileSync(process.env['STORED'] ?? '', 'utf8');

const echo =
  (schema: z.ZodType): express.RequestHandler =>
  (request, response) => {
    const result = schema.safeParse(request.body);
    if (result.success) response.status(201).json(result.data);
    else response.status(400).json({ errors: result.error.issues });
  };

const app = express();
app.get(process.env['STORED_AT'] ?? '/', (_, response) => {
  response.type('json').send(stored);
});
app.use(express.json());
app.post('/protocols', echo(Protocol));
app.post('/protocols/questionnaires', echo(Questionnaire));
serve(app);
