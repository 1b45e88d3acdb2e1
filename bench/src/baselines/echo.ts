// Baseline: bare Express and zod. Parses the body, checks it, answers it. Stores nothing, logs nothing.
import express from 'express';
import { z } from 'zod';
import { serve } from './serve.js';

const Body = z.object({
  institutionId: z.guid(),
  name: z.string().min(1).max(500),
  prompt: z.string().max(100_000).nullable().default(null),
});

const app = express();
app.use(express.json());
app.post('/protocols', (request, response) => {
  const result = Body.safeParse(request.body);
  if (result.success) response.status(201).json(result.data);
  else response.status(400).json({ errors: result.error.issues });
});
serve(app);
