import { Page } from '../parts/page.js';

export const SignInPage = () => <Page title="SignInPage">…</Page>;
