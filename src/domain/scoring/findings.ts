// What the analysis of a form finds: a table of the codes, each with its severity and a function that finds it.
import { comparableText } from '../comparable.js';
import { counts, type Scorable, type ScorableQuestion } from './answers.js';
import { compare, numberOrNull } from './decimal.js';
import type { ShownGap } from './gaps.js';
import type { Reach } from './model.js';
import type { Obstacle } from './obstacles.js';
import { type Analysis, type Finding, type FindingCode, findingCodes, severities } from './schemas.js';
import type { Steps } from './sums.js';
import { exactTextOf, quoted } from './wording.js';

type Found = Omit<Finding, 'code' | 'severity'>;

/** What the answers to a form show about it. */
export interface Seen {
  /** Why no set of answers is complete. */
  readonly obstacles: readonly Obstacle[];
  readonly isUndecided: boolean;
  readonly isContinuous: boolean;
  readonly gaps: readonly ShownGap[];
  /** Whether a total is in a range, for each range; empty if that is not known. */
  readonly reached: readonly boolean[];
  /** The ids of the questions that never change the classification. */
  readonly withoutEffect: ReadonlySet<string>;
}

interface Kind {
  readonly severity: Finding['severity'];
  /** Yields what it finds, in the order of the form, and undefined after work that found nothing yet. */
  readonly find: (form: Scorable, shown: Seen) => Iterable<Found | undefined>;
}

const onQuestions = (messageOf: (question: ScorableQuestion, shown: Seen) => string | undefined) =>
  function* (form: Scorable, shown: Seen): Iterable<Found | undefined> {
    for (const question of form.questions) {
      const message = messageOf(question, shown);
      yield message === undefined ? undefined : { message, questionIds: [question.id] };
    }
  };

function* equalTexts({ questions }: Scorable): Iterable<Found | undefined> {
  const equal: Groups<ScorableQuestion> = new Map();
  for (const question of questions) {
    yield* equalOptions(question);
    gather(equal, comparableText(question.questionText), question);
    yield undefined;
  }
  for (const [first, ...others] of equal.values()) {
    if (others.length === 0) continue;
    const message = `${others.length + 1} questions have the text ${quoted(first.questionText)}.`;
    yield { message, questionIds: [first, ...others].map(({ id }) => id) };
  }
}

function* equalOptions({ id, questionText, options }: ScorableQuestion): Iterable<Found | undefined> {
  const equal: Groups<string> = new Map();
  for (const { optionText } of options) {
    gather(equal, comparableText(optionText), optionText);
    yield undefined;
  }
  for (const [first, ...others] of equal.values()) {
    if (others.length === 0) continue;
    const count = `${others.length + 1} options of the question ${quoted(questionText)}`;
    yield { message: `${count} have the text ${quoted(first)}.`, questionIds: [id] };
  }
}

type Groups<T> = Map<string, [T, ...T[]]>;

const gather = <T>(groups: Groups<T>, key: string, item: T): void => {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [item]);
  else group.push(item);
};

function* gapsOf(_: Scorable, { gaps, isContinuous }: Seen): Iterable<Found> {
  for (const { min, max, answers } of gaps) {
    const message = messageOfGap({ min, max }, isContinuous);
    yield { message, questionIds: [], min: numberOrNull(min), max: numberOrNull(max), answers };
  }
}

const messageOfGap = ({ min, max }: Reach, isContinuous: boolean): string => {
  if (min === undefined) {
    return max === undefined ? 'No total has a score range.' : `Totals below ${exactTextOf(max)} have no score range.`;
  }
  const from = exactTextOf(min);
  if (max === undefined) return `Totals above ${from} have no score range.`;
  if (compare(min, max) === 0) return `The total ${from} has no score range.`;
  const to = exactTextOf(max);
  // The ends of continuous gaps may have ranges.
  return `Totals ${isContinuous ? `between ${from} and` : `from ${from} to`} ${to} have no score range.`;
};

/** All codes. The findings that need the totals, or score ranges, find nothing without them. */
const FINDINGS: { readonly [C in FindingCode]: Kind } = {
  'form-without-questions': {
    severity: 'error',
    find: ({ questions }) => (questions.length > 0 ? [] : [{ message: 'The form has no questions.', questionIds: [] }]),
  },
  'required-question-without-options': {
    severity: 'error',
    find: onQuestions(({ member, required, possible, questionText }) => {
      if (member !== 'optionIds' || !required || possible() !== undefined) return undefined;
      return `The question ${quoted(questionText)} is required and has no options, so no set of answers is complete.`;
    }),
  },
  'required-question-without-answer': { severity: 'error', find: (_, { obstacles }) => obstacles },
  'total-without-range': { severity: 'error', find: gapsOf },
  'totals-undecided': {
    severity: 'warning',
    find: (_, { isUndecided }) =>
      isUndecided
        ? [{ message: 'The totals are too many to decide. Only what is certain is shown.', questionIds: [] }]
        : [],
  },
  'question-without-answer': {
    severity: 'warning',
    find: onQuestions((question) =>
      question.required || question.possible() !== undefined
        ? undefined
        : `No answer fits the question ${quoted(question.questionText)}.`,
    ),
  },
  'optional-question-counts': {
    severity: 'warning',
    find: ({ questions }) => {
      const found = questions.filter((question) => !question.required && counts(question));
      const message = `Questions that count and are not required: ${found.length}. A total can be complete without them.`;
      return found.length === 0 ? [] : [{ message, questionIds: found.map(({ id }) => id) }];
    },
  },
  'equal-texts': { severity: 'warning', find: equalTexts },
  'number-without-bounds': {
    severity: 'warning',
    find: onQuestions(({ outcomes, questionText }) => {
      // Only a number can lack a bound.
      const [min, max] = outcomes.numbers.map((bound) => bound === undefined);
      const names = [min && 'minValue', max && 'maxValue'].filter((name) => name).join(' and no ');
      return names === '' ? undefined : `The question ${quoted(questionText)} counts and has no ${names}.`;
    }),
  },
  'range-without-total': {
    severity: 'warning',
    find: ({ scoreRanges }, { reached }) =>
      scoreRanges.flatMap(({ minScore: min, maxScore: max, classification }, index) => {
        const message = `No total is in the score range ${quoted(classification)} (${min} to ${max}).`;
        return reached[index] === false ? [{ message, questionIds: [], min, max }] : [];
      }),
  },
  'question-without-effect': {
    severity: 'information',
    find: onQuestions(({ id, questionText }, { withoutEffect }) =>
      withoutEffect.has(id) ? `The question ${quoted(questionText)} never changes the classification.` : undefined,
    ),
  },
  'ranges-missing': {
    severity: 'information',
    find: ({ scoreRanges }) =>
      scoreRanges.length > 0
        ? []
        : [{ message: 'The form has no score ranges, so it has no classification.', questionIds: [] }],
  },
};

const LONGEST_LIST = 100;

type Findings = Pick<Analysis, 'findings' | 'truncated'>;

/** Returns the findings. */
export function* findingsIn(form: Scorable, shown: Seen): Steps<Findings> {
  const places = new Map<string | undefined, number>(form.questions.map(({ id }, index) => [id, index]));
  // A form with undecided totals may be refused, so no list of warnings is too long to name that.
  const placeOf = ({ code, questionIds: [first] }: Finding) =>
    code === 'totals-undecided' ? -1 : (places.get(first) ?? form.questions.length);
  const all: Finding[] = [];
  for (const code of findingCodes) {
    const { severity, find } = FINDINGS[code];
    for (const found of find(form, shown)) {
      if (found !== undefined) all.push({ code, severity, ...found });
      yield { added: 1, held: 0 };
    }
  }
  const rankOf = ({ severity }: Finding) => severities.indexOf(severity);
  const sorted = all.toSorted((a, b) => rankOf(a) - rankOf(b) || placeOf(a) - placeOf(b));
  return { findings: sorted.slice(0, LONGEST_LIST), truncated: all.length > LONGEST_LIST };
}
