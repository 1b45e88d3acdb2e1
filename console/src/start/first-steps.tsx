// The first steps in an empty service: an institution, a protocol, a person. They go when all are done.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { answerOf, api } from '../api/client.js';
import { useSession } from '../api/session.js';
import { Action, LinkOut } from '../parts/actions.js';
import { Column, Line, Section } from '../parts/boxes.js';
import { Form, useDraft } from '../parts/draft.js';
import { TextField, TextsField } from '../parts/fields.js';
import { say } from '../parts/said.js';
import { Sign } from '../parts/signs.js';
import { Awaited } from '../parts/states.js';
import { Paragraph, Shaded } from '../parts/words.js';
import { useTexts } from '../texts/language.js';

interface FirstThings {
  readonly hasInstitution: boolean;
  readonly hasProtocol: boolean;
  /** How many people there are, at most 2. */
  readonly people: number;
}

/** Reads whether there are an institution, a protocol, and a person beside the reader. */
const useFirstThings = () =>
  useQuery({
    queryKey: ['institutions', 'first'],
    queryFn: async (): Promise<FirstThings> => {
      const params = { query: { limit: 2 } };
      const [institutions, protocols, users] = await Promise.all([
        answerOf(api.GET('/institutions', { params })),
        answerOf(api.GET('/protocols', { params })),
        answerOf(api.GET('/users', { params })),
      ]);
      return {
        hasInstitution: institutions.value.items.length > 0,
        hasProtocol: protocols.value.items.length > 0,
        people: users.value.items.length,
      };
    },
  });

export const FirstSteps = () => (
  <Awaited query={useFirstThings()} lines={3}>
    {(things) => <StepsFrom {...things} />}
  </Awaited>
);

const StepsFrom = ({ hasInstitution, hasProtocol, people }: FirstThings) => {
  const { start } = useTexts();
  const isOpen = useSession().status === 'open';
  const hasPerson = people > (isOpen ? 0 : 1);
  if (hasInstitution && hasProtocol && hasPerson) return null;
  return (
    <Section title={start.firstSteps}>
      <ol className="steps">
        <Step title={start.institution} isDone={hasInstitution}>
          <NewInstitution />
        </Step>
        <Step title={start.protocol} isDone={hasProtocol}>
          <Paragraph>{start.protocolAdvice}</Paragraph>
          <LinkOut href="/docs">{start.reference}</LinkOut>
        </Step>
        <Step title={start.person} isDone={hasPerson}>
          <Paragraph>{isOpen ? start.personByProgram : start.personAdvice}</Paragraph>
          {!isOpen && <Paragraph>{`${window.location.origin}/console/sign-up`}</Paragraph>}
        </Step>
      </ol>
    </Section>
  );
};

interface StepProps {
  readonly title: string;
  readonly isDone: boolean;
  readonly children: ReactNode;
}

const Step = ({ title, isDone, children }: StepProps) => {
  const { start } = useTexts();
  return (
    <li>
      <Shaded as={isDone ? 'approved' : 'waiting'}>
        <Sign name={isDone ? 'check' : 'clock'} /> {title} ({isDone ? start.done : start.toDo})
      </Shaded>
      {!isDone && <Column tight>{children}</Column>}
    </li>
  );
};

const NewInstitution = () => {
  const { start } = useTexts();
  const queries = useQueryClient();
  const draft = useDraft({
    from: { name: '', unities: [] as readonly string[] },
    send: async ({ name, unities }) => {
      await answerOf(api.POST('/institutions', { body: { name, unities: unities.map((each) => ({ name: each })) } }));
      say(start.created(name));
    },
  });
  return (
    <Form draft={draft} onSent={() => void queries.invalidateQueries({ queryKey: ['institutions'] })}>
      <TextField {...draft.field('name')} label={start.institutionName} isRequired />
      <TextsField {...draft.field('unities')} label={start.unities} hint={start.unitiesHint} suggestions={[]} />
      <Line>
        <Action look="main" sends isBusy={draft.isBusy}>
          {start.create}
        </Action>
      </Line>
    </Form>
  );
};
