// What the analysis of a form finds: a table of the codes, each with its severity and a function that finds it.
import { comparableText } from '../comparable.js';
import { answeringOf, type Question, type ScoredForm } from './answers.js';
import type { Entry } from './entries.js';
import { quoted } from './wording.js';

export const SEVERITIES = ['error', 'warning', 'information'] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface Finding extends Found {
  readonly code: FindingCode;
  readonly severity: Severity;
}

interface Found {
  readonly message: string;
  readonly questionIds: readonly string[];
  readonly min?: number | null;
  readonly max?: number | null;
  /** Answers whose score shows the finding; null if only earlier findings have answers. */
  readonly answers?: readonly Entry[] | null;
}

/** Totals without a range. Null stands for no bound. */
export interface ShownGap {
  readonly min: number | null;
  readonly max: number | null;
  readonly answers: readonly Entry[] | null;
}

/** What the totals of a form show about it. */
export interface Shown {
  readonly gaps: readonly ShownGap[];
  /** Whether a total is in a range, for each range. */
  readonly reached: readonly boolean[];
  /** The ids of the questions that never change the classification. */
  readonly withoutEffect: ReadonlySet<string>;
}

interface Kind {
  readonly severity: Severity;
  /** Yields what it finds, in the order of the form, and undefined after work that found nothing yet. */
  readonly find: (form: ScoredForm, shown: Shown | undefined) => Iterable<Found | undefined>;
}

const onQuestions = (messageOf: (question: Question, shown: Shown | undefined) => string | undefined) =>
  function* (form: ScoredForm, shown: Shown | undefined): Iterable<Found | undefined> {
    for (const question of form.questions) {
      const message = messageOf(question, shown);
      yield message === undefined ? undefined : { message, questionIds: [question.id] };
    }
  };

function* equalTexts({ questions }: ScoredForm): Iterable<Found | undefined> {
  const equal = new Map<string, Question[]>();
  for (const question of questions) {
    yield* equalOptions(question);
    gather(equal, comparableText(question.questionText), question);
  }
  for (const [first, ...others] of equal.values()) {
    if (first === undefined || others.length === 0) continue;
    const message = `${others.length + 1} questions have the text ${quoted(first.questionText)}.`;
    yield { message, questionIds: [first, ...others].map(({ id }) => id) };
  }
}

function* equalOptions({ id, questionText, options }: Question): Iterable<Found | undefined> {
  const equal = new Map<string, string[]>();
  for (const { optionText } of options) gather(equal, comparableText(optionText), optionText);
  yield undefined;
  for (const [first, ...others] of equal.values()) {
    if (first === undefined || others.length === 0) continue;
    const count = `${others.length + 1} options of the question ${quoted(questionText)}`;
    yield { message: `${count} have the text ${quoted(first)}.`, questionIds: [id] };
  }
}

const gather = <T>(groups: Map<string, T[]>, key: string, item: T): void => {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [item]);
  else group.push(item);
};

const messageOfGap = ({ min, max }: ShownGap): string => {
  if (min === max && min !== null) return `The total ${min} has no score range.`;
  if (min === null) return max === null ? 'No total has a score range.' : `Totals up to ${max} have no score range.`;
  return `Totals from ${min} ${max === null ? 'on' : `to ${max}`} have no score range.`;
};

/** All codes. The findings that need the totals, or score ranges, find nothing without them. */
const FINDINGS = {
  'required-question-without-options': {
    severity: 'error',
    find: onQuestions(({ required, responseType, options, questionText }) =>
      required && options.length === 0 && (responseType === 'SELECT' || responseType === 'MULTIPLE_SELECT')
        ? `The question ${quoted(questionText)} is required and has no options, so no set of answers is complete.`
        : undefined,
    ),
  },
  'total-without-range': {
    severity: 'error',
    find: (_, shown) => (shown?.gaps ?? []).map((gap) => ({ message: messageOfGap(gap), questionIds: [], ...gap })),
  },
  'equal-texts': { severity: 'warning', find: equalTexts },
  'number-without-bounds': {
    severity: 'warning',
    find: onQuestions((question) => {
      const { outcomes } = answeringOf(question);
      if (outcomes.kind !== 'number' || question.weight === 0) return undefined;
      const missing = [outcomes.min === undefined && 'minValue', outcomes.max === undefined && 'maxValue'];
      const names = missing.filter((name) => name !== false).join(' and no ');
      return names === '' ? undefined : `The question ${quoted(question.questionText)} counts and has no ${names}.`;
    }),
  },
  'range-without-total': {
    severity: 'warning',
    find: ({ scoreRanges }, shown) =>
      scoreRanges.flatMap(({ minScore: min, maxScore: max, classification }, index) => {
        const message = `No total is in the score range ${quoted(classification)} (${min} to ${max}).`;
        return shown?.reached[index] === false ? [{ message, questionIds: [], min, max }] : [];
      }),
  },
  'question-without-effect': {
    severity: 'information',
    find: onQuestions(({ id, questionText }, shown) =>
      shown?.withoutEffect.has(id)
        ? `The question ${quoted(questionText)} never changes the classification.`
        : undefined,
    ),
  },
  'ranges-missing': {
    severity: 'information',
    find: ({ scoreRanges }) =>
      scoreRanges.length > 0
        ? []
        : [{ message: 'The form has no score ranges, so it has no classification.', questionIds: [] }],
  },
} as const satisfies Readonly<Record<string, Kind>>;

export type FindingCode = keyof typeof FINDINGS;
export const CODES = Object.keys(FINDINGS) as readonly FindingCode[];

const LONGEST_LIST = 100;

/** The findings of a form: errors first, then in the order of the form. */
export interface Findings {
  readonly findings: readonly Finding[];
  /** Whether the form has more findings. */
  readonly truncated: boolean;
}

/** Returns the findings. `shown` is undefined if the totals are undecided. Yields after every question. */
export function* findingsIn(form: ScoredForm, shown: Shown | undefined): Generator<undefined, Findings, void> {
  const places = new Map(form.questions.map(({ id }, index) => [id, index]));
  const placeOf = ({ questionIds: [id = ''] }: Finding) => places.get(id) ?? form.questions.length;
  const all: Finding[] = [];
  for (const code of CODES) {
    const { severity, find }: Kind = FINDINGS[code];
    for (const found of find(form, shown)) {
      if (found !== undefined) all.push({ code, severity, ...found });
      yield;
    }
  }
  const rankOf = ({ severity }: Finding) => SEVERITIES.indexOf(severity);
  const sorted = all.toSorted((a, b) => rankOf(a) - rankOf(b) || placeOf(a) - placeOf(b));
  return { findings: sorted.slice(0, LONGEST_LIST), truncated: all.length > LONGEST_LIST };
}
