// Baseline: bare Express and zod. Parses the body, checks it and returns it. Stores nothing and logs nothing.
import express from 'express';
import { Protocol } from './schemas.js';
import { serve } from './serve.js';

const app = express();
app.use(express.json());
app.post('/protocols', (request, response) => {
  const result = Protocol.safeParse(request.body);
  if (result.success) response.status(201).json(result.data);
  else response.status(400).json({ errors: result.error.issues });
});
serve(app);
