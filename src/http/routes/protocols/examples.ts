// Example bodies for protocols in the documentation. Tests send each of them.
const institutionId = '018f4c3e-7a10-7cc1-9d5e-0a1b2c3d4e5f';
const often = (optionText: string, score: number) => ({ optionText, score, position: score + 1 });
const options = [
  often('Not at all', 0),
  often('Several days', 1),
  often('More than half the days', 2),
  often('Nearly every day', 3),
];

const select = (questionText: string, position: number) => ({
  questionText,
  responseType: 'SELECT' as const,
  metadata: {},
  required: true,
  weight: 1,
  position,
  options,
});
const questions = [
  select('Little interest or pleasure in doing things', 1),
  select('Feeling down, depressed, or hopeless', 2),
];
const scoreRanges = [
  { minScore: 0, maxScore: 2, classification: 'Negative screen' },
  { minScore: 3, maxScore: 6, classification: 'Positive screen' },
];

/** PHQ-2: Kroenke, Spitzer, Williams 2003. */
export const questionnaire = {
  institutionId,
  name: 'PHQ-2',
  prompt: 'Over the last 2 weeks, how often have you been bothered by the following problems?',
  questions,
  scoreRanges,
};

export const replacement = {
  formId: '018f4c3e-7a11-7b02-8f00-1a2b3c4d5e6f',
  name: 'PHQ-2, revised',
  questions,
  scoreRanges,
};

export const addQuestion = {
  questionText: 'How many hours did you sleep last night?',
  metadata: { minValue: 0, maxValue: 24 },
  required: false,
  weight: 1,
  position: 3,
};

export const addOption = { optionText: 'Rather not say', score: 0, position: 5 };

export const order = { ids: ['018f4c3e-7a12-7d03-8a00-2b3c4d5e6f70', '018f4c3e-7a12-7d03-8a00-2b3c4d5e6f71'] };

export const fromForm = { fromFormId: '018f4c3e-7a11-7b02-8f00-1a2b3c4d5e6f' };

export const reason = { reason: 'The committee approved the wording.' };

export const copy = { institutionId, name: 'PHQ-2, primary care', formId: '018f4c3e-7a11-7b02-8f00-1a2b3c4d5e6f' };

export const answers = {
  answers: [
    { questionId: '018f4c3e-7a12-7d03-8a00-2b3c4d5e6f70', optionIds: ['018f4c3e-7a12-7d03-8b00-2b3c4d5e6f70'] },
  ],
};
