// Fills the stores of a directory with protocols and a tenth as many users, and selects some of them for requests.
import { join } from 'node:path';
import { Author, type LogRow } from './author.js';
import { newId } from './ids.js';
import { clock, writeLog } from './log.js';
import { openEmbedded, type Somebody, writePeople } from './people.js';

/** One protocol in this many has a questionnaire. */
const QUESTIONNAIRE_EVERY = 20;
const PROTOCOLS_TO_A_USER = 10;
const PROTOCOLS_TO_AN_INSTITUTION = 20;
// The smallest store has this many items of each kind. So requests repeat, and hit caches, equally often on every
// store.
const NAMED = 50;

/** A protocol with a questionnaire. */
export interface Questionnaire {
  readonly id: string;
  readonly formId: string;
  readonly questionId: string;
}

/** An evenly spread selection of the items in the stores. */
export interface Seeded {
  readonly institutions: readonly string[];
  readonly protocols: readonly string[];
  readonly questionnaires: readonly Questionnaire[];
  readonly people: readonly Somebody[];
}

/** The prefix of the names of one in ten protocols. Each institution has two such protocols. */
export const COMMON_PREFIX = 'Protocol 3 ';

/** Returns an evenly spread selection of at most `NAMED` items. */
const some = <Item>(items: readonly Item[]): readonly Item[] => {
  const step = Math.max(1, Math.floor(items.length / NAMED));
  return items.filter((_, n) => n % step === 0).slice(0, NAMED);
};

/** Fills the stores of a product's directory. */
export const seed = async (directory: string, count: number): Promise<Seeded> => {
  const data = join(directory, 'data');
  const institutions = Array.from({ length: Math.ceil(count / PROTOCOLS_TO_AN_INSTITUTION) }, newId);
  const protocols: string[] = [];
  const questionnaires: Questionnaire[] = [];
  const now = clock();
  const beginOne = (author: Author, n: number): readonly LogRow[] => {
    if (n % QUESTIONNAIRE_EVERY !== 0) {
      const name = `Protocol ${Math.floor(n / institutions.length) % 10} of ${n}`;
      return author.create(institutions[n % institutions.length] ?? '', name);
    }
    const rows = author.begin();
    const { id, formId, questionId } = author;
    questionnaires.push({ id, formId, questionId });
    return rows;
  };
  function* rows(): Generator<LogRow> {
    for (let n = 0; n < count; n += 1) {
      const author = new Author(now);
      protocols.push(author.id);
      yield* beginOne(author, n);
    }
  }
  await writeLog(data, rows());
  const stores = await openEmbedded(data);
  const people = await writePeople(stores.facts, Math.ceil(count / PROTOCOLS_TO_A_USER), 1);
  await stores.close();
  return {
    institutions: some(institutions),
    protocols: some(protocols),
    questionnaires: some(questionnaires),
    people: some(people),
  };
};
