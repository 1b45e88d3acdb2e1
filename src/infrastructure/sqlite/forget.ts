// Rewrites the SQLite file that its argument names, in a process of its own: unlike a thread, it can be killed meanwhile.
import { forget, openForWriting } from './database.js';

const [, , file = ''] = process.argv;
const db = openForWriting(file);
try {
  forget(db);
} finally {
  db.close();
}
