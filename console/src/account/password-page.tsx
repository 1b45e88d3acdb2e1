import { Page } from '../parts/page.js';

export const PasswordPage = () => <Page title="PasswordPage">…</Page>;
