// Why no set of answers to a form is complete, apart from choices without options.
import type { Scorable } from './answers.js';
import { bytesOfAnswer } from './entries.js';
import { type Finding, LONGEST_BODY } from './schemas.js';
import type { Steps } from './sums.js';
import { quoted } from './wording.js';

export type Obstacle = Pick<Finding, 'message' | 'questionIds'>;

/** Returns the required questions that no answer fits, and all of them if their shortest answers are too long to be sent. */
export function* obstaclesIn({ questions }: Scorable): Steps<readonly Obstacle[]> {
  const required = questions.filter((question) => question.required);
  const obstacles: Obstacle[] = [];
  // The last answer has no comma.
  let bytes = '{"answers":[]}'.length - 1;
  for (const question of required) {
    const answer = question.possible();
    if (answer !== undefined) bytes += bytesOfAnswer(answer);
    else if (question.member === 'value') {
      const message = `The question ${quoted(question.questionText)} is required and no answer fits it, so no set of answers is complete.`;
      obstacles.push({ message, questionIds: [question.id] });
    }
    yield { added: 1, held: 0 };
  }
  if (bytes <= LONGEST_BODY) return obstacles;
  const message = `The shortest answers to the required questions take more than ${LONGEST_BODY} bytes, so no complete set can be sent.`;
  return [...obstacles, { message, questionIds: required.map(({ id }) => id) }];
}
