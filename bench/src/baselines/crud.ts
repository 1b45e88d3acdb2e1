// Baseline: plain CRUD on Express and SQLite, with normalized tables, no events and no read model. Each write
// request is a transaction. With WAL and synchronous=FULL, the transaction ends with the same fsync as a group commit
// of the product.
import express from 'express';
import { Protocol, Questionnaire } from './schemas.js';
import { serve } from './serve.js';
import { openTables } from './tables.js';

const { inTransaction, insertProtocol, insertQuestionnaire, findProtocol, findForm, listProtocols } = openTables(
  process.env['DATABASE'] ?? '',
);

/** Responds with what was found, or with 404. */
const found = (response: express.Response, value: unknown): void => {
  if (value === undefined) response.sendStatus(404);
  else response.json(value);
};

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
app.get('/protocols', ({ query }, response) => {
  found(response, listProtocols(Number(query['limit'] ?? 50), String(query['cursor'] ?? '')));
});
app.get('/protocols/:id', ({ params }, response) => found(response, findProtocol(params.id)));
app.get('/protocols/:id/forms/:formId', ({ params }, response) => {
  found(response, findForm(params.id, params.formId));
});
serve(app);
