// Baseline: plain CRUD on Express and SQLite, with normalized tables, no events and no read model. Each write
// request is a transaction. With WAL and synchronous=FULL, the transaction ends with the same fsync as a group commit
// of the product.
import express from 'express';
import { Protocol, Questionnaire } from './schemas.js';
import { serve } from './serve.js';
import { openTables } from './tables.js';

const { inTransaction, insertProtocol, insertQuestionnaire, findProtocol } = openTables(process.env['DATABASE'] ?? '');

const app = express();
app.use(express.json());
app.post('/protocols', (request, response) => {
  const result = Protocol.safeParse(request.body);
  if (result.success) response.status(201).json(inTransaction(() => insertProtocol(result.data)));
  else response.status(400).json({ errors: result.error.issues });
});
app.post('/protocols/questionnaires', (request, response) => {
  const result = Questionnaire.safeParse(request.body);
  if (result.success) response.status(201).json(inTransaction(() => insertQuestionnaire(result.data)));
  else response.status(400).json({ errors: result.error.issues });
});
app.get('/protocols/:id', (request, response) => {
  const found = findProtocol(request.params.id);
  if (found === undefined) response.sendStatus(404);
  else response.json(found);
});
serve(app);
