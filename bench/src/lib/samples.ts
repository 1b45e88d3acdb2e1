// Request bodies: a short protocol, a questionnaire of 9 questions with 4 options each, and a real instrument.
import { readFileSync } from 'node:fs';

/** The body of POST /protocols. */
export const protocolBody = (institutionId: string) => ({
  institutionId,
  name: 'Falls, adults',
  prompt: 'Ask at every admission and after every transfer.',
});

const OPTIONS = ['Not at all', 'Several days', 'More than half the days', 'Nearly every day'];
const BANDS = ['minimal', 'mild', 'moderate', 'moderately severe', 'severe'];

/** The body of POST /protocols/questionnaires: 9 questions with 4 options each, and 5 score ranges. */
export const questionnaireBody = (institutionId: string) => ({
  institutionId,
  name: 'Nine questions with four options',
  prompt: 'Over the last 2 weeks, how often have you been bothered by any of the following problems?',
  questions: Array.from({ length: 9 }, (_, question) => ({
    questionText: `Question ${question + 1}: little interest or pleasure in doing things`,
    responseType: 'SELECT' as const,
    metadata: {},
    required: true,
    weight: 1,
    position: question + 1,
    options: OPTIONS.map((optionText, score) => ({ optionText, score, position: score + 1 })),
  })),
  scoreRanges: BANDS.map((classification, band) => ({ minScore: band * 5, maxScore: band * 5 + 4, classification })),
});

const PHQ_9 = new URL('../../../examples/phq-9.json', import.meta.url);

/** The PHQ-9 as the body of POST /protocols/questionnaires. */
export const phq9Body = (institutionId: string): object => ({
  institutionId,
  ...(JSON.parse(readFileSync(PHQ_9, 'utf8')) as object),
});

/** Posts JSON and returns the body of the response. Rejects if the response is not a success. */
export const post = async <Body>(url: string, body: object, token?: string): Promise<Body> => {
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`POST ${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Body;
};

/** Creates an institution and returns its id. */
export const anInstitution = async (url: string, token?: string): Promise<string> =>
  (await post<{ readonly id: string }>(`${url}/institutions`, { name: 'General Hospital' }, token)).id;
