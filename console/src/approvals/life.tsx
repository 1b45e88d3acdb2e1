// The life of a profile, step by step.
import { Action } from '../parts/actions.js';
import { Sign } from '../parts/signs.js';
import { Moment, Quiet, Shaded } from '../parts/words.js';
import { changesOf, type Step, sourcesOf, titleOf, whoOf } from './timeline.js';
import { useWords } from './words.js';

interface LifeProps {
  readonly steps: readonly Step[];
  readonly userId: string;
  readonly onMore: (() => void) | undefined;
}

export const Life = ({ steps, userId, onMore }: LifeProps) => {
  const words = useWords(steps.flatMap(({ after }) => after ?? []));
  const { texts } = words;
  return (
    <>
      <ol className="steps">
        {steps.map((step) => {
          const { sign, shade, title } = titleOf(texts, step);
          return (
            <li key={step.revision}>
              <Shaded as={shade}>
                <Sign name={sign} /> {title}
              </Shaded>{' '}
              <Quiet>
                {whoOf(texts, step, userId)}, <Moment at={step.at} />
              </Quiet>
              {step.reason && <div>“{step.reason}”</div>}
              {changesOf(words, step).map(({ field, from, to }) => (
                <div key={field}>
                  <Quiet>{texts.timeline.fields[field]}:</Quiet> {from && `${from} → `}
                  {to ?? texts.timeline.nothing}
                </div>
              ))}
              <div>
                <Quiet>{sourcesOf(texts, step).join(' · ')}</Quiet>
              </div>
            </li>
          );
        })}
      </ol>
      {onMore && <Action onPress={onMore}>{texts.actions.more}</Action>}
    </>
  );
};
