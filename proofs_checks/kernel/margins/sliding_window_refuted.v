(* Statements about `sliding-window` that are false as they are stated: each fails at a point inside its hypotheses. *)
From Coq Require Import Reals Lra Psatz.
From Interval Require Import Tactic.
From DPMatrix.generated Require sliding_window.
From DPMatrix.margins Require Import tactics.
Local Open Scope R_scope.

Theorem theorem_19__squares_off_diagonal_fails : ~ sliding_window.theorem_19__squares_off_diagonal.
Proof. intros H. red in H. specialize (H 2 2 0). fails_at H. Qed.

Theorem theorem_19__multiplicative_part_fails : ~ sliding_window.theorem_19__multiplicative_part.
Proof.
  intros H. red in H. specialize (H 20%Z 400%Z 1%Z 1%Z 1%Z (1 / 10) 0). change (powerRZ 100 1) with (100 ^ 1) in H.
  cbn [pow] in H. pose proof (floor_between (100 * 1 * 1)). fails_at H.
Qed.

Theorem algorithm_1__reads_inside_fails : ~ sliding_window.algorithm_1__reads_inside.
Proof. intros H. red in H. specialize (H 1%Z 3%Z 8%Z 7%Z). fails_at H. Qed.

Theorem algorithm_2_fails : ~ sliding_window.algorithm_2.
Proof. intros H. red in H. specialize (H 1%Z 2%Z 1%Z). fails_at H. Qed.

Theorem lemma_4__count_fails : ~ sliding_window.lemma_4__count.
Proof. intros H. red in H. specialize (H 3%Z (3 / 4) 2). fails_at H. Qed.

Theorem theorem_4__last_display_fails : ~ sliding_window.theorem_4__last_display.
Proof. intros H. red in H. specialize (H 18 1 0). fails_at H. Qed.

Theorem lemma_5__equation_18_product_fails : ~ sliding_window.lemma_5__equation_18_product.
Proof. intros H. red in H. specialize (H 3%Z 3%Z 6%Z). fails_at H. Qed.

Theorem lemma_5__last_display_fails : ~ sliding_window.lemma_5__last_display.
Proof. intros H. red in H. specialize (H 0 7 0 3 (2 / 3) (19 / 10) 1). fails_at H. Qed.

Theorem theorem_6__equation_19_fails : ~ sliding_window.theorem_6__equation_19.
Proof. intros H. red in H. specialize (H 0 2 (1 / 4)). fails_at H. Qed.

Theorem theorem_7__equation_24_fails : ~ sliding_window.theorem_7__equation_24.
Proof. intros H. red in H. specialize (H 30 (39 / 20) (128 / 5) (49 / 25) 2 0 (37 / 20) 2 10). fails_at H. Qed.

Theorem theorem_7__equation_26_fails : ~ sliding_window.theorem_7__equation_26.
Proof. intros H. red in H. specialize (H (-5 / 2) (17 / 20) (3 / 20) (170 / 7) 2 (1 / 4) 2 (3 / 2) 25). fails_at H. Qed.

Theorem theorem_14__rank_one_fails : ~ sliding_window.theorem_14__rank_one.
Proof. intros H. red in H. specialize (H 5%Z 30 (2 / 3) 7%Z 1). fails_at H. Qed.

Theorem theorem_14__theorem_11_fails : ~ sliding_window.theorem_14__theorem_11.
Proof. intros H. red in H. specialize (H 2%Z 3 (2 / 7) 3%Z 2). fails_at H. Qed.

Theorem theorem_14__unit_rows_fails : forall gamma_lower_regularized, ~ sliding_window.theorem_14__unit_rows gamma_lower_regularized.
Proof. intros gamma_lower_regularized H. red in H. specialize (H 1%Z (80 / 3) (1 / 3) 2%Z (7 / 3)). fails_at H. Qed.

Theorem theorem_14__post_processing_fails : forall gamma_lower_regularized, ~ sliding_window.theorem_14__post_processing gamma_lower_regularized.
Proof. intros gamma_lower_regularized H. red in H. specialize (H 4%Z 28 (2 / 7) 5%Z 3). fails_at H. Qed.

Theorem theorem_17__every_node_fails : forall gamma_lower_regularized, ~ sliding_window.theorem_17__every_node gamma_lower_regularized.
Proof. intros gamma_lower_regularized H. red in H. specialize (H 5%Z 6%Z 3%Z 10 (1 / 2)). fails_at H. Qed.

Theorem theorem_19__without_loss_fails : ~ sliding_window.theorem_19__without_loss.
Proof. intros H. red in H. specialize (H 2%Z 3%Z 6%Z 5%Z (1 / 2) 0). fails_at H. Qed.

Theorem theorem_19__block_of_rows_fails : ~ sliding_window.theorem_19__block_of_rows.
Proof. intros H. red in H. specialize (H 5%Z 7%Z 1%Z 4%Z (2 / 3) 0). fails_at H. Qed.

Theorem theorem_19__fraction_fails : ~ sliding_window.theorem_19__fraction.
Proof. intros H. red in H. specialize (H 4%Z 6%Z 6%Z 4%Z 4%Z (1 / 2) 0). fails_at H. Qed.

Theorem theorem_19__entries_at_least_fails : ~ sliding_window.theorem_19__entries_at_least.
Proof. intros H. red in H. specialize (H 21 2%Z 1 10 0 30). fails_at H. Qed.

(* At a point where the first number of the maximum exceeds delta, whatever the other functions are. *)
Ltac first_exceeds H :=
  repeat match type of H with
  | ?P -> ?Q =>
      specialize
        (H ltac:(repeat split; first [lra | interval with (i_prec 60) | apply Rgt_not_eq; first [lra | interval]]))
  end;
  repeat match type of H with _ /\ _ => destruct H as [_ H] end;
  revert H;
  repeat match goal with
  | |- context [if ?c then _ else _] =>
      destruct c as [E | E]; first [exfalso; lra | exfalso; apply E; lra | clear E]
  end;
  intros H;
  match type of H with
  | 0 <= ?d - Rmax ?a ?b => pose proof (Rmax_l a b); assert (d < a) by (interval with (i_prec 60)); lra
  | _ => lra
  end.

Theorem theorem_11_fails :
  forall gamma_lower_regularized gamma_upper_regularized,
  ~ sliding_window.theorem_11 gamma_lower_regularized gamma_upper_regularized.
Proof. intros lower upper H. red in H. specialize (H 1%Z 2 10 (9 / 10) 30). first_exceeds H. Qed.

Theorem theorem_11__unit_rows_fails :
  forall gamma_lower_regularized gamma_upper_regularized,
  ~ sliding_window.theorem_11__unit_rows gamma_lower_regularized gamma_upper_regularized.
Proof. intros lower upper H. red in H. specialize (H 1%Z 2 10 (3 / 10) 0). first_exceeds H. Qed.

Theorem theorem_12_fails :
  forall gamma_lower_regularized gamma_upper_regularized,
  ~ sliding_window.theorem_12 gamma_lower_regularized gamma_upper_regularized.
Proof. intros lower upper H. red in H. specialize (H 2%Z 11 (1 / 2) 1 1). first_exceeds H. Qed.

Theorem theorem_14_fails :
  forall gamma_lower_regularized gamma_upper_regularized,
  ~ sliding_window.theorem_14 gamma_lower_regularized gamma_upper_regularized.
Proof. intros lower upper H. red in H. specialize (H 1%Z 10 (9 / 10) 2%Z 30). first_exceeds H. Qed.

Lemma enough_degrees delta : 0 < delta -> delta < 1 -> 0 < 1 - 14 * - ln delta / (1 - 14 * ln delta) ^ 2.
Proof.
  intros Hd Hd1. assert (ln delta < 0) by (rewrite <- ln_1; apply ln_increasing; lra).
  replace (1 - _) with ((1 - 14 * ln delta + (14 * ln delta) ^ 2) / (1 - 14 * ln delta) ^ 2) by (field; lra).
  apply Rdiv_lt_0_compat; nra.
Qed.

(* Whatever the chance g of one noise: of two noises it is g^2, and delta may be less than that. *)
Theorem theorem_14__bounded_rows_fails :
  forall gamma_lower_regularized, ~ sliding_window.theorem_14__bounded_rows gamma_lower_regularized.
Proof.
  intros lower H. red in H. set (g := lower (1 / 2) (1 / 2)).
  assert (F : forall delta, 0 < delta < 1 -> g <> 0 /\ g * g <= delta).
  { intros delta Hd. pose proof (enough_degrees delta ltac:(lra) ltac:(lra)).
    assert (ln delta < 0) by (rewrite <- ln_1; apply ln_increasing; lra).
    specialize (H 1%Z 2%Z 1 (1 - 14 * ln delta) delta).
    destruct H as (_ & _ & G & H); try lra; [repeat split; nra |]. split; [apply G; lra |].
    destruct Rlt_dec; [lra |]. destruct Rlt_dec; [| lra]. fold g in H.
    replace (powerRZ g 2) with (g * g) in H by (simpl; ring). lra. }
  destruct (F (1 / 2) ltac:(lra)) as [G _]. assert (0 < g * g) by nra.
  assert (Q := quotient_times (g * g) (1 + 2 * (g * g)) ltac:(lra)).
  assert (0 < g * g / (1 + 2 * (g * g))) by (apply Rdiv_lt_0_compat; lra).
  set (q := g * g / (1 + 2 * (g * g))) in *. destruct (F q) as [_ L]; nra.
Qed.

Theorem theorem_14__noise_value_fails : ~ sliding_window.theorem_14__noise_value.
Proof.
  intros H. red in H. specialize (H 1%Z 1 (1 / 2) 0 ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)).
  destruct H as (_ & _ & _ & _ & _ & _ & H). apply equation_meant in H.
  match type of H with ?a = ?b => assert (b < 2 /\ 40 < a) by (split; interval with (i_prec 60)) end. lra.
Qed.

Theorem theorem_17_fails :
  forall gamma_lower_regularized gamma_upper_regularized,
  ~ sliding_window.theorem_17 gamma_lower_regularized gamma_upper_regularized.
Proof. intros lower upper H. red in H. specialize (H 1%Z 10 (9 / 10) 2%Z 30). first_exceeds H. Qed.

Theorem theorem_17__path_together_fails :
  forall gamma_lower_regularized gamma_upper_regularized,
  ~ sliding_window.theorem_17__path_together gamma_lower_regularized gamma_upper_regularized.
Proof. intros lower upper H. red in H. specialize (H 1%Z 2%Z 1%Z 10 (3 / 10)). first_exceeds H. Qed.

Theorem theorem_18_fails :
  forall gamma_lower_regularized gamma_upper_regularized,
  ~ sliding_window.theorem_18 gamma_lower_regularized gamma_upper_regularized.
Proof. intros lower upper H. red in H. specialize (H 1%Z 10 (9 / 10) 2%Z 30). first_exceeds H. Qed.

Theorem theorem_18__node_privacy_fails :
  forall gamma_lower_regularized gamma_upper_regularized,
  ~ sliding_window.theorem_18__node_privacy gamma_lower_regularized gamma_upper_regularized.
Proof. intros lower upper H. red in H. specialize (H 1%Z 2%Z 60%Z 10 (9 / 10)). first_exceeds H. Qed.
