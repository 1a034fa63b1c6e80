(* A tactic for margins: it splits cases, names quotients and roots by what defines them, and leaves polynomial
   inequalities to nra and numbers to interval arithmetic. It proves nothing by itself: the kernel checks the terms. *)
From Coq Require Import Reals Lra Psatz.
From Interval Require Import Tactic.
Local Open Scope R_scope.

Lemma equation_holds a b : a = b -> 0 <= - Rabs (a - b).
Proof. intros ->. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra. Qed.

Lemma equation_meant a b : 0 <= - Rabs (a - b) -> a = b.
Proof.
  intros H. pose proof (Rabs_pos (a - b)). destruct (Req_dec (a - b) 0) as [E | E]; [lra |].
  apply Rabs_no_R0 in E. lra.
Qed.

Lemma root_below a c : 0 <= c -> a <= c * c -> 0 <= c - sqrt a.
Proof. intros Hc Ha. apply sqrt_le_1_alt in Ha. rewrite sqrt_square in Ha by assumption. lra. Qed.

Lemma exponential_below x : x <= 0 -> 0 <= 1 - exp x.
Proof. intros [H | ->]; [apply exp_increasing in H; rewrite exp_0 in H; lra | rewrite exp_0; lra]. Qed.

Lemma exponential_strictly_below x : x < 0 -> 0 < 1 - exp x.
Proof. intros H. apply exp_increasing in H. rewrite exp_0 in H. lra. Qed.

Lemma exponential_above x : 0 <= x -> 0 <= exp x - 1.
Proof. intros H. pose proof (exp_ineq1_le x). lra. Qed.

Lemma exponential_monotone x y : x <= y -> exp x <= exp y.
Proof. intros [H | ->]; [apply Rlt_le, exp_increasing, H | apply Rle_refl]. Qed.

Lemma exponential_convex b x : 0 <= b -> b <= 1 -> exp (b * x) <= 1 - b + b * exp x.
Proof.
  intros Hb Hb1. pose proof (exp_pos (b * x)) as P. pose proof (exp_ineq1_le (- (b * x))) as L.
  pose proof (exp_ineq1_le (x - b * x)) as U.
  assert (E : exp (b * x) * exp (- (b * x)) = 1) by (rewrite <- exp_plus, <- exp_0; f_equal; ring).
  assert (F : exp (b * x) * exp (x - b * x) = exp x) by (rewrite <- exp_plus; f_equal; ring).
  assert (exp (b * x) * (1 + - (b * x)) <= 1) by (rewrite <- E; apply Rmult_le_compat_l; lra).
  assert (exp (b * x) * (1 + (x - b * x)) <= exp x) by (rewrite <- F; apply Rmult_le_compat_l; lra).
  nra.
Qed.

Lemma quotient_nonnegative a b : 0 <= a -> 0 < b -> 0 <= a / b.
Proof. intros Ha Hb. apply Rmult_le_pos; [assumption | apply Rlt_le, Rinv_0_lt_compat, Hb]. Qed.

Lemma quotient_times a b : b <> 0 -> a / b * b = a.
Proof. intros H. field. exact H. Qed.

Lemma quotient_below a b c : 0 < c -> b <= a * c -> 0 <= a - b / c.
Proof.
  intros Hc H. replace (a - b / c) with ((a * c - b) / c) by (field; lra). apply quotient_nonnegative; lra.
Qed.

Lemma quotient_above a b c : 0 < c -> b * c < a -> 0 < a / c - b.
Proof.
  intros Hc H. replace (a / c - b) with ((a - b * c) / c) by (field; lra). apply Rdiv_lt_0_compat; lra.
Qed.

Lemma both_of_minimum a b : 0 <= Rmin a b -> 0 <= a /\ 0 <= b.
Proof. unfold Rmin. destruct (Rle_dec a b); lra. Qed.

Lemma floor_between x : x - 1 < IZR (Int_part x) <= x.
Proof. destruct (base_Int_part x). lra. Qed.

Lemma floor_monotone x y : x <= y -> IZR (Int_part x) <= IZR (Int_part y).
Proof.
  intros H. apply IZR_le. pose proof (floor_between x). pose proof (floor_between y).
  enough (Int_part x < Int_part y + 1)%Z by lia. apply lt_IZR. rewrite plus_IZR. lra.
Qed.

Lemma floor_of_integer n : Int_part (IZR n) = n.
Proof.
  pose proof (floor_between (IZR n)) as [H1 H2]. apply le_IZR in H2.
  rewrite <- minus_IZR in H1. apply lt_IZR in H1. lia.
Qed.

Lemma logarithm_nonnegative x : 1 <= x -> 0 <= ln x.
Proof. intros [H | <-]; [rewrite <- ln_1; apply Rlt_le, ln_increasing; lra | rewrite ln_1; lra]. Qed.

Lemma logarithm_positive x : 1 < x -> 0 < ln x.
Proof. intros H. rewrite <- ln_1. apply ln_increasing; lra. Qed.

Lemma logarithm_nonpositive x : 0 < x -> x <= 1 -> ln x <= 0.
Proof. intros Hx [H | ->]; [rewrite <- ln_1; apply Rlt_le, ln_increasing; lra | rewrite ln_1; lra]. Qed.

Lemma logarithm_below x : 0 < x -> ln x <= x - 1.
Proof. intros H. pose proof (exp_ineq1_le (ln x)) as E. rewrite (exp_ln x H) in E. lra. Qed.

Lemma logarithm_of_inverse x : 0 < x -> ln (1 / x) = - ln x.
Proof. intros H. unfold Rdiv. now rewrite Rmult_1_l, ln_Rinv. Qed.

(* Cases: conjunctions, choices, and equations that hypotheses say by -|a - b| >= 0. *)
Ltac cases :=
  intros;
  repeat match goal with
  | H : _ /\ _ |- _ => destruct H
  | H : 0 <= - Rabs (_ - _) |- _ => apply equation_meant in H
  | H : 0 <= Rmin _ _ |- _ => apply both_of_minimum in H
  | H : context [if ?c then _ else _] |- _ => destruct c
  | |- context [if ?c then _ else _] => destruct c
  | |- _ /\ _ => split
  | |- forall _, _ => intro
  | |- ~ _ => intro
  end;
  try contradiction; try (exfalso; lra).

Ltac extremes :=
  unfold Rmin, Rmax in *;
  repeat match goal with
  | H : context [Rle_dec ?a ?b] |- _ => destruct (Rle_dec a b)
  | |- context [Rle_dec ?a ?b] => destruct (Rle_dec a b)
  end;
  unfold Rabs in *;
  repeat match goal with
  | H : context [Rcase_abs ?a] |- _ => destruct (Rcase_abs a)
  | |- context [Rcase_abs ?a] => destruct (Rcase_abs a)
  end.

(* Squares of variables and of their differences. *)
Ltac squares :=
  repeat match goal with
  | x : R |- _ =>
      lazymatch goal with H : 0 <= x * x |- _ => fail | _ => assert (0 <= x * x) by apply Rle_0_sqr end
  end;
  repeat match goal with
  | x : R, y : R |- _ =>
      lazymatch x with y => fail | _ => idtac end;
      lazymatch goal with
      | H : 0 <= (x - y) * (x - y) |- _ => fail
      | H : 0 <= (y - x) * (y - x) |- _ => fail
      | _ => assert (0 <= (x - y) * (x - y)) by apply Rle_0_sqr
      end
  end.

Ltac polynomial := first [ lra | nra | squares; first [ lra | nra ] ].

Ltac nonzero := first [ lra | nra | apply Rgt_not_eq; first [ lra | nra | interval with (i_prec 60) ] | polynomial ].

(* Quotients, roots and exponentials become variables with what is known of them. *)
Ltac name_quotients :=
  repeat match goal with
  | |- context [?a / ?b] =>
      lazymatch b with
      | IZR _ => fail
      | _ =>
      let E := fresh "E" in let q := fresh "q" in
      assert (E : a / b * b = a) by (apply quotient_times; nonzero);
      revert E; generalize (a / b); intros q E
      end
  end.

Ltac name_roots :=
  repeat match goal with
  | |- context [sqrt ?x] =>
      let P := fresh "P" in let S := fresh "S" in let r := fresh "r" in
      assert (P : 0 <= sqrt x) by apply sqrt_pos;
      assert (S : sqrt x * sqrt x = x) by (apply sqrt_sqrt; polynomial);
      revert P S; generalize (sqrt x); intros r P S
  end.

Ltac name_exponentials :=
  repeat match goal with
  | |- context [exp ?x] =>
      let P := fresh "P" in let S := fresh "S" in let r := fresh "r" in
      assert (P : 0 < exp x) by apply exp_pos;
      assert (S : 1 + x <= exp x) by apply exp_ineq1_le;
      revert P S; generalize (exp x); intros r P S
  end.

Ltac about_pi :=
  match goal with
  | |- context [PI] => assert (3 < PI < 4) by (split; interval with (i_prec 60))
  | H : context [PI] |- _ => assert (3 < PI < 4) by (split; interval with (i_prec 60))
  | _ => idtac
  end.

Ltac revert_facts := repeat match goal with H : ?P |- _ => lazymatch type of P with Prop => revert H end end.

Ltac leaf :=
  first
  [ assumption
  | lra
  | interval with (i_prec 60)
  | nra
  | apply equation_holds; first [ lra | ring | field; repeat split; nonzero | nra ]
  | apply root_below; polynomial
  | apply exponential_below; polynomial
  | apply exponential_strictly_below; polynomial
  | apply exponential_above; polynomial
  | apply logarithm_nonnegative; polynomial
  | apply logarithm_positive; polynomial
  | apply quotient_nonnegative; polynomial
  | apply quotient_below; polynomial
  | apply quotient_above; polynomial
  | extremes; polynomial
  | polynomial
  | revert_facts; name_quotients; cases; polynomial
  | revert_facts; name_roots; cases; polynomial
  | revert_facts; name_quotients; name_roots; cases; extremes; polynomial
  | revert_facts; name_exponentials; name_quotients; cases; polynomial ].

Ltac margin := intros; red; cases; about_pi; leaf.

(* At a point: every number is known, and each comparison is decided by arithmetic or by intervals. *)
Ltac decided :=
  first [ assumption | lra | nra | interval with (i_prec 80) | apply Rgt_not_eq; interval with (i_prec 80)
        | apply Rlt_not_eq; interval with (i_prec 80) | apply Rle_ge; interval with (i_prec 80) ].

Ltac choices :=
  repeat match goal with
  | |- context [if ?c then _ else _] => destruct c; try (exfalso; first [ lra | nra ])
  end.

Ltac holds_at_the_point :=
  choices; repeat match goal with |- _ /\ _ => split | |- _ -> _ => intro end; try contradiction; extremes; decided.

Ltac fails_at H :=
  cbn [pow] in H;
  repeat match type of H with
  | ?P -> ?Q =>
      let h := fresh "h" in
      assert (h : P) by holds_at_the_point;
      specialize (H h)
  end;
  revert H; choices; intros H;
  repeat match type of H with _ /\ _ => destruct H as [_ H] end;
  extremes;
  first
  [ lra
  | nra
  | match type of H with
    | 0 <= ?m => assert (m < 0) by (interval with (i_prec 80)); lra
    | 0 < ?m => assert (m < 0) by (interval with (i_prec 80)); lra
    end ].
