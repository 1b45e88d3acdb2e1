// Baseline: plain CRUD on Express and better-sqlite3, tables in normal form, no events, no read model. WAL and
// synchronous=FULL: every transaction ends with the same fsync as the product's. GROUP=1: requests that arrive
// together share one transaction, as the product's do; else each has its own. Either way the commit blocks the event
// loop, as it does in every program that calls better-sqlite3 from its only thread.
import express, { type Response } from 'express';
import { serve } from './serve.js';
import { openTables, Questionnaire } from './tables.js';

const { insert, inTransaction } = openTables(process.env['DATABASE'] ?? '');

interface Waiting {
  readonly body: Questionnaire;
  readonly response: Response;
}
let waiting: Waiting[] = [];

const commitAll = () => {
  const group = waiting;
  waiting = [];
  const answers = inTransaction(() => group.map(({ body }) => insert(body)));
  for (const [index, { response }] of group.entries()) response.status(201).json(answers[index]);
};

const alone = ({ body, response }: Waiting) => {
  response.status(201).json(inTransaction(() => insert(body)));
};

const together = (request: Waiting) => {
  waiting.push(request);
  if (waiting.length === 1) setImmediate(commitAll);
};

const store = process.env['GROUP'] === '1' ? together : alone;

const app = express();
app.use(express.json());
app.post('/protocols/questionnaires', (request, response) => {
  const result = Questionnaire.safeParse(request.body);
  if (result.success) store({ body: result.data, response });
  else response.status(400).json({ errors: result.error.issues });
});
serve(app);
