// Forms that are kept for scores, while their protocols change.
import { expect, it } from 'vitest';
import { scorable } from '../../../src/domain/scoring/answers.js';
import { scoreOf } from '../../../src/domain/scoring/score.js';
import { typed } from '../../../src/http/route/documents.js';
import { keptForms } from '../../../src/http/routes/protocols/kept-forms.js';
import { formOf } from '../../domain/support/scoring.js';

/** Returns a form with one question, whose only option has this score. */
const formAdding = (score: number) => {
  const { questions, scoreRanges } = formOf([{ options: [score] }]);
  return { questions, scoreRanges, version: 1, status: 'PUBLISHED' };
};

/** Returns views of one form of each protocol, what a score reads of it, and how often a form was read. */
const service = () => {
  const protocol = { revision: 1, archived: false, form: formAdding(1) };
  let formsRead = 0;
  const views = typed({
    get: async (collection: string) => {
      if (collection === 'forms') formsRead += 1;
      const document = collection === 'forms' ? protocol.form : { archived: protocol.archived };
      return { body: JSON.stringify(document), revision: protocol.revision };
    },
    list: () => Promise.reject(new Error('reads no list')),
  } as unknown as Parameters<typeof typed>[0]);
  const resourceOf = keptForms();
  const read = async (id = 'protocol', formId = 'form') => {
    const scored = await resourceOf(formId).fromViews(views, id);
    if (scored === undefined) throw new Error('found no form');
    const { form, ...others } = scored.value;
    const [question] = form.questions;
    const answers = [{ questionId: question?.id ?? '', optionIds: [question?.options[0]?.id ?? ''] }];
    return { ...others, revision: scored.revision, total: scoreOf(scorable(form), answers).total };
  };
  return { protocol, read, formsRead: () => formsRead };
};

it('a form is read once while its protocol stays as it is', async () => {
  const { read, formsRead } = service();
  const first = await read();
  expect(first).toEqual({ version: 1, status: 'PUBLISHED', archived: false, revision: 1, total: 1 });
  expect([await read(), formsRead()]).toEqual([first, 1]);
});

it.each<[what: string, change: (protocol: { readonly form: object }) => void, object]>([
  ['is archived', (protocol) => Object.assign(protocol, { archived: true }), { archived: true, total: 1 }],
  ['has retired its form', ({ form }) => Object.assign(form, { status: 'RETIRED' }), { status: 'RETIRED', total: 1 }],
  ['has other scores', (protocol) => Object.assign(protocol, { form: formAdding(7) }), { total: 7 }],
])('a kept form is not used once its protocol %s', async (_, change, expected) => {
  const { protocol, read, formsRead } = service();
  await read();
  change(protocol);
  protocol.revision += 1;
  expect(await read()).toMatchObject({ ...expected, revision: 2 });
  expect([await read(), formsRead()]).toMatchObject([expected, 2]);
});

it('a kept form is not used for another form, nor for the same form of another protocol', async () => {
  const { protocol, read } = service();
  await read();
  protocol.form = formAdding(7);
  expect([(await read('protocol', 'other')).total, (await read('other', 'form')).total]).toEqual([7, 7]);
  expect((await read()).total).toBe(1);
});
