// What waits for the reader, and what the service is.
import { useMe } from '../api/me.js';
import { hasRole, useSession } from '../api/session.js';
import { useWaiting } from '../api/waiting.js';
import { nameOf } from '../approvals/timeline.js';
import { LinkOut, LinkTo } from '../parts/actions.js';
import { Column, Line, Section } from '../parts/boxes.js';
import { Page } from '../parts/page.js';
import { Awaited } from '../parts/states.js';
import { Ago, Paragraph, Status } from '../parts/words.js';
import { useTexts } from '../texts/language.js';
import { FirstSteps } from './first-steps.js';

export const StartPage = () => {
  const { service, start, nav } = useTexts();
  const session = useSession();
  const isAdministrator = hasRole(session, 'ADMINISTRATOR');
  return (
    <Page title={service} intro={start.about}>
      {session.status === 'anonymous' && (
        <Section title={start.enter}>
          <Paragraph>{start.howToEnter}</Paragraph>
          <Line>
            <LinkTo to="/sign-in">{nav.signIn}</LinkTo>
            <LinkTo to="/sign-up">{nav.signUp}</LinkTo>
          </Line>
        </Section>
      )}
      {isAdministrator && <Waiting />}
      {'who' in session && <OwnProfiles />}
      {isAdministrator && <FirstSteps />}
      <Section title={start.programs}>
        <Line>
          <LinkOut href="/docs">{start.reference}</LinkOut>
          <LinkOut href="/openapi.json">{start.description}</LinkOut>
          {isAdministrator && <LinkOut href="/admin/queues">{start.queues}</LinkOut>}
        </Line>
      </Section>
    </Page>
  );
};

const Waiting = () => {
  const texts = useTexts();
  const { start } = texts;
  const waiting = useWaiting();
  if (waiting === undefined) return null;
  const { total, first } = waiting;
  return (
    <Section title={start.waiting(total)}>
      {first && (
        <Paragraph>
          {start.first} <LinkTo to={`/approvals/${first.userId}/${first.id}`}>{nameOf(texts, first.user)}</LinkTo>,{' '}
          {start.profileCreated} <Ago at={first.createdAt} />
        </Paragraph>
      )}
      <LinkTo to="/approvals">{start.toApprovals}</LinkTo>
    </Section>
  );
};

/** The profiles of the reader: their state, and what happens now. */
const OwnProfiles = () => {
  const { start, profileTypes } = useTexts();
  const me = useMe();
  return (
    <Section title={start.ownProfiles}>
      <Awaited query={me} lines={2}>
        {({ value: { profiles } }) => (
          <Column tight>
            {profiles.map(({ id, type, approvalStatus }) => (
              <div key={id}>
                {profileTypes[type]}: <Status of={approvalStatus} />
                <Paragraph>{start.now[approvalStatus]}</Paragraph>
              </div>
            ))}
            <LinkTo to="/account">{profiles.length === 0 ? start.addProfile : start.toAccount}</LinkTo>
          </Column>
        )}
      </Awaited>
    </Section>
  );
};
