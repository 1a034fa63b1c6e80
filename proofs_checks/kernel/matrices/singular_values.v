(* Singular values of square matrices of every size, as the roots of the eigenvalues of A'A: the inequality for sums
   (wishart.singular-value-inequality) and the relations of a decomposition (analyze-gauss.svd-relations). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From mathcomp.zify Require Import zify.
From DPMatrix.matrices Require Import inner_products spectral_theorem eigenvalues spectral_norms projectors.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section singular_values.
Variable R : rcfType.
Variable d : nat.
Implicit Types (A B Q : 'M[R]_d) (a b c : 'rV[R]_d) (x : 'cV[R]_d).

(* Singular values of A in decreasing order, with right singular vectors in the columns of Q. *)
Definition singular_values Q (s : 'rV[R]_d) A := [/\ spectrum Q (\row_i s 0 i ^+ 2) (A^T *m A) & forall i, 0 <= s 0 i].

Lemma gram_symmetric A : symmetric (A^T *m A).
Proof. by rewrite /symmetric trmx_mul trmxK. Qed.

Lemma singular_values_exist A : exists Q s, singular_values Q s A.
Proof.
have [Q [l S]] := spectral_theorem (gram_symmetric A); exists Q, (\row_i Num.sqrt (l 0 i)).
split=> [|i]; last by rewrite mxE sqrtr_ge0.
have l0 i : 0 <= l 0 i by rewrite -(form_eigenvector i S) form_gram norm2_ge0.
have -> : \row_i (\row_j Num.sqrt (l 0 j)) 0 i ^+ 2 = l by apply/rowP => i; rewrite !mxE sqr_sqrtr.
exact: S.
Qed.

(* wishart.singular-value-inequality: h stands for i + j - 1, the three counted from 1. *)
Theorem singular_values_of_sum QA s A QB t B QC r (i j h : 'I_d) :
  singular_values QA s A -> singular_values QB t B -> singular_values QC r (A + B) -> (i + j)%N = h ->
  r 0 h <= s 0 i + t 0 j.
Proof.
move=> [SA s0] [SB t0] [SC r0] ij.
have [|x x0 common] := @common_vector R d (top QA i ++ top QB j ++ rest QC h.+1).
  rewrite !size_cat size_rest; have := size_top QA i; have := size_top QB j; have := ltn_ord h.
  by move: ij; lia.
have nx : 0 < norm2 x by rewrite norm2_gt0.
have cA : norm2 (A *m x) <= s 0 i ^+ 2 * norm2 x.
  have -> : s 0 i ^+ 2 = (\row_i s 0 i ^+ 2) 0 i by rewrite mxE.
  by rewrite -form_gram; apply: (rayleigh_below SA) => v vr; apply: common; rewrite !mem_cat vr.
have cB : norm2 (B *m x) <= t 0 j ^+ 2 * norm2 x.
  have -> : t 0 j ^+ 2 = (\row_i t 0 i ^+ 2) 0 j by rewrite mxE.
  by rewrite -form_gram; apply: (rayleigh_below SB) => v vr; apply: common; rewrite !mem_cat vr !orbT.
have cC : r 0 h ^+ 2 * norm2 x <= norm2 ((A + B) *m x).
  have -> : r 0 h ^+ 2 = (\row_i r 0 i ^+ 2) 0 h by rewrite mxE.
  by rewrite -form_gram; apply: (rayleigh_above SC) => v vr; apply: common; rewrite !mem_cat vr !orbT.
have q2 : Num.sqrt (norm2 x) ^+ 2 = norm2 x by rewrite sqr_sqrtr ?norm2_ge0.
have cross : dot (A *m x) (B *m x) <= s 0 i * t 0 j * norm2 x.
  apply: le_trans (ler_norm _) _; rewrite -[in X in _ <= X]q2.
  have -> : s 0 i * t 0 j * Num.sqrt (norm2 x) ^+ 2 = (s 0 i * Num.sqrt (norm2 x)) * (t 0 j * Num.sqrt (norm2 x)) by ring.
  by apply: dot_le; rewrite ?mulr_ge0 ?sqrtr_ge0 // exprMn q2.
have st : 0 <= s 0 i + t 0 j by rewrite addr_ge0.
rewrite -(@ler_pexpn2r _ 2) ?nnegrE // -(ler_pmul2r nx); apply: le_trans cC _.
rewrite mulmxDl norm2D; have -> : (s 0 i + t 0 j) ^+ 2 * norm2 x
    = s 0 i ^+ 2 * norm2 x + t 0 j ^+ 2 * norm2 x + (s 0 i * t 0 j * norm2 x) *+ 2 by ring.
by rewrite !ler_add // ler_muln2r.
Qed.

End singular_values.

(* analyze-gauss.svd-relations+repair and step existence: A = U S V', the columns of U and of V orthonormal. *)
Section decomposition.
Variables (R : realFieldType) (m n : nat) (U : 'M[R]_(m, n)) (s : 'rV[R]_n) (V : 'M[R]_n).
Hypotheses (UU : frame U) (VV : frame V).
Let A := U *m diag_mx s *m V^T.
Let inverse := diag_mx (\row_i (s 0 i)^-1).

Lemma decomposed_right : A *m V = U *m diag_mx s.
Proof. by rewrite /A -mulmxA VV mulmx1. Qed.

Theorem decomposition_relations :
  [/\ A^T *m A = V *m diag_mx (\row_i s 0 i ^+ 2) *m V^T, A *m V = U *m diag_mx s &
      (forall i, s 0 i != 0) -> U = A *m V *m inverse].
Proof.
split=> [||s0]; last 2 first.
- exact: decomposed_right.
- rewrite decomposed_right /inverse -mulmxA mulmx_diag -[LHS]mulmx1; congr (_ *m _).
  by apply/matrixP => i j; rewrite !mxE mulfV.
rewrite /A !trmx_mul trmxK tr_diag_mx -!mulmxA [U^T *m _]mulmxA UU mul1mx [diag_mx s *m (_ *m _)]mulmxA mulmx_diag.
by congr (_ *m (diag_mx _ *m _)); apply/rowP => i; rewrite !mxE expr2.
Qed.

(* The columns A v_i / s_i, zero where s_i = 0, as 1/0 = 0. *)
Theorem left_vectors_exist (B := A *m V *m inverse) :
  B *m diag_mx s *m V^T = A /\ B^T *m B = diag_mx (\row_i (s 0 i != 0)%:R).
Proof.
have BE : B = U *m diag_mx (\row_i (s 0 i != 0)%:R).
  rewrite /B decomposed_right /inverse -mulmxA mulmx_diag; congr (_ *m diag_mx _); apply/rowP => i; rewrite !mxE.
  by have [->|s0] := eqVneq (s 0 i) 0; rewrite ?mul0r // mulfV.
rewrite BE; split.
  rewrite /A -[U *m _ *m _]mulmxA mulmx_diag; congr (_ *m diag_mx _ *m _); apply/rowP => i; rewrite !mxE.
  by have [->|s0] := eqVneq (s 0 i) 0; rewrite ?mulr0 // mul1r.
rewrite trmx_mul tr_diag_mx -mulmxA [U^T *m _]mulmxA UU mul1mx mulmx_diag; congr (diag_mx _); apply/rowP => i.
by rewrite !mxE; case: (s 0 i == 0); rewrite ?mulr0 ?mulr1.
Qed.
End decomposition.
