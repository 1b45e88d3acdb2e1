// The activation: a code from an e-mail proves that the address belongs to the reader.
import { useNavigate, useSearchParams } from 'react-router';
import { answerOf, api } from '../api/client.js';
import { useSession } from '../api/session.js';
import { LinkTo } from '../parts/actions.js';
import { Page } from '../parts/page.js';
import { say } from '../parts/said.js';
import { Notice } from '../parts/states.js';
import { useTexts } from '../texts/language.js';
import { CodeForm, SendCode, useSending } from './codes.js';
import { useWithNext } from './onward.js';

export const ActivatePage = () => {
  const { activate, nav } = useTexts();
  const session = useSession();
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const withNext = useWithNext();
  const ownerRef = params.get('ownerRef') ?? ('who' in session ? session.who.userId : undefined);
  const sending = useSending({}, () =>
    answerOf(api.GET('/auth-service/activation-code', { params: { query: { ownerRef: ownerRef ?? '' } } })),
  );
  const goOn = () => {
    say(activate.done);
    void navigate(session.status === 'signed-in' ? '/account' : withNext('/sign-in'));
  };
  if (ownerRef === undefined) {
    return (
      <Page title={activate.title} intro={activate.whose} isNarrow>
        <LinkTo to={withNext('/sign-in')}>{nav.signIn}</LinkTo>
      </Page>
    );
  }
  return (
    <Page title={activate.title} intro={activate.intro} isNarrow>
      {params.has('withheld') && <Notice title={activate.withheld} tone="warning" />}
      <CodeForm ownerRef={ownerRef} action={activate.action} onRedeemed={goOn} />
      <SendCode sending={sending} isSecond />
    </Page>
  );
};
